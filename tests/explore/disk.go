// SPDX-License-Identifier: Apache-2.0

package explore

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/otelcol-tc/otelcol-tc/internal/disk"
)

// ErrDead is the error of each call of a process that is dead. Nobody may see what it does from then on.
var ErrDead = errors.New("the process is dead")

// Disk is a file system in memory. It knows which bytes and names were synced. Processes use it through Process.
type Disk struct {
	// Capacity limits the bytes of all files.
	Capacity int64

	mu      sync.Mutex
	names   map[string]*Inode
	durable map[string]*Inode // names, after a power failure
	renamed []change          // changes of names that are not synced, in order
	locks   map[string]*Process
	serial  int
}

// Inode is a file, or a directory. Tests may change Data while no process runs.
type Inode struct {
	Data []byte
	// Bad returns the error of reading a byte. It may be nil.
	Bad func(offset int64) error

	directory bool
	serial    int
	base      []byte  // what survives a power failure in any case, with the synced writes
	writes    []write // since base, in order
}

// write is a change of a file: bytes at an offset, or a new size if there are none.
type write struct {
	offset int64
	bytes  []byte
	synced bool
	failed bool // a sync failed after it: no later sync makes it durable
}

// change is a change of one or two names, which happens as a whole. A nil Inode means that the name goes.
type change map[string]*Inode

// NewDisk returns an empty disk without limits.
func NewDisk() *Disk {
	return &Disk{Capacity: math.MaxInt64, names: map[string]*Inode{}, durable: map[string]*Inode{}, locks: map[string]*Process{}}
}

// File returns a file, or nil.
func (d *Disk) File(path string) *Inode {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.names[path]
}

// Put makes a file with some content, which survives a power failure.
func (d *Disk) Put(path string, data []byte) {
	d.serial++
	i := &Inode{Data: data, base: slices.Clone(data), serial: d.serial}
	d.names[path], d.durable[path] = i, i
}

// Delete deletes a file, behind the back of a process.
func (d *Disk) Delete(path string) {
	delete(d.names, path)
	delete(d.durable, path)
}

// Paths returns the paths of the files whose names end so, in order.
func (d *Disk) Paths(suffix string) (paths []string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for path, i := range d.names {
		if !i.directory && strings.HasSuffix(path, suffix) {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	return paths
}

// Used returns the bytes of all files.
func (d *Disk) Used() (bytes int64) {
	for _, i := range d.names {
		bytes += int64(len(i.Data))
	}
	return bytes
}

// Clone returns a disk with the same files.
func (d *Disk) Clone() *Disk {
	c := NewDisk()
	for _, path := range slices.Sorted(maps.Keys(d.names)) {
		i := d.names[path]
		if c.Put(path, slices.Clone(i.Data)); i.directory {
			c.names[path].directory = true
		}
	}
	return c
}

// PowerFailure leaves what was synced. Of each write and each change of a name that was not, it decides whether it is
// kept, lost, or torn. No process may be alive.
func (d *Disk) PowerFailure(r *rand.Rand) {
	for _, c := range d.renamed {
		if r.IntN(2) == 0 {
			apply(d.durable, c)
		}
	}
	for _, path := range slices.Sorted(maps.Keys(d.durable)) {
		if above := d.durable[filepath.Dir(path)]; strings.Contains(path, "/") && filepath.Dir(path) != "/" && above == nil {
			delete(d.durable, path) // its directory is lost
		}
	}
	var left []*Inode
	for _, i := range d.durable {
		left = append(left, i)
	}
	slices.SortFunc(left, func(a, b *Inode) int { return a.serial - b.serial })
	for _, i := range slices.Compact(left) {
		i.Data = i.surviving(r)
		i.base, i.writes = slices.Clone(i.Data), nil
	}
	d.names, d.renamed = maps.Clone(d.durable), nil
}

func (i *Inode) surviving(r *rand.Rand) []byte {
	data := slices.Clone(i.base)
	for _, w := range i.writes {
		if w.synced {
			data = w.on(data)
			continue
		}
		switch r.IntN(3) {
		case 0:
			data = w.on(data)
		case 1:
			if w.bytes != nil {
				w.bytes = w.bytes[:r.IntN(len(w.bytes)+1)]
				data = w.on(data)
			}
		}
	}
	return data
}

// on returns what a file has after a write.
func (w write) on(data []byte) []byte {
	if w.bytes == nil {
		if w.offset <= int64(len(data)) {
			return data[:w.offset]
		}
		return append(data, make([]byte, w.offset-int64(len(data)))...)
	}
	if len(w.bytes) == 0 {
		return data
	}
	if end := w.offset + int64(len(w.bytes)); end > int64(len(data)) {
		data = append(data, make([]byte, end-int64(len(data)))...)
	}
	copy(data[w.offset:], w.bytes)
	return data
}

func (i *Inode) write(w write) {
	i.Data = w.on(i.Data)
	w.bytes = slices.Clone(w.bytes)
	i.writes = append(i.writes, w)
}

func (i *Inode) sync() {
	all := true
	for n := range i.writes {
		w := &i.writes[n]
		w.synced = !w.failed
		all = all && w.synced
	}
	if all {
		i.base, i.writes = slices.Clone(i.Data), nil
	}
}

// set changes names. The lock is held.
func (d *Disk) set(c change) {
	apply(d.names, c)
	d.renamed = append(d.renamed, c)
}

func apply(names map[string]*Inode, c change) {
	for path, i := range c {
		if i == nil {
			delete(names, path)
		} else {
			names[path] = i
		}
	}
}

func (d *Disk) create(path string, directory bool) *Inode {
	d.serial++
	i := &Inode{directory: directory, serial: d.serial}
	d.set(change{path: i})
	return i
}

func (d *Disk) syncDirectory(directory string) {
	d.renamed = slices.DeleteFunc(d.renamed, func(c change) bool {
		for path := range c {
			if filepath.Dir(path) != directory {
				return false
			}
		}
		apply(d.durable, c)
		return true
	})
}

// Call is a system call that changes something, or a sync.
type Call struct {
	Name  string // of a method of disk.FileSystem or disk.File
	Path  string
	Bytes int // to be written
}

// Fate is what becomes of a call. The zero Fate means that it does what it should.
type Fate struct {
	Err   error
	Bytes int  // written all the same
	Dies  bool // the process, after Bytes
	Lost  bool // a sync that says it was done, and was not
}

// Process is the disk as one process sees it.
type Process struct {
	disk *Disk
	// Decide returns the fate of each call. It may be nil.
	Decide func(Call) Fate
	// Reads asks Decide about reads of files, too.
	Reads bool
	dead  bool
}

// Process starts a process.
func (d *Disk) Process() *Process { return &Process{disk: d} }

// Kill ends a process. Its locks are free, and its calls do nothing any more.
func (p *Process) Kill() {
	p.disk.mu.Lock()
	defer p.disk.mu.Unlock()
	p.die()
}

func (p *Process) die() {
	p.dead = true
	maps.DeleteFunc(p.disk.locks, func(_ string, holder *Process) bool { return holder == p })
}

// Dead reports whether the process has died.
func (p *Process) Dead() bool {
	p.disk.mu.Lock()
	defer p.disk.mu.Unlock()
	return p.dead
}

// begin locks the disk, and decides. If it returns false, the call returns the error, and writes the bytes before.
func (p *Process) begin(c Call) (fate Fate, goesOn bool) {
	if p.Decide != nil && !p.Dead() {
		fate = p.Decide(c)
	}
	p.disk.mu.Lock()
	switch {
	case p.dead:
		return Fate{Err: ErrDead}, false
	case fate.Dies:
		fate.Err = ErrDead
	}
	return fate, fate.Err == nil && !fate.Lost
}

// end dies if that was decided, and unlocks the disk.
func (p *Process) end(fate Fate) {
	if fate.Dies {
		p.die()
	}
	p.disk.mu.Unlock()
}

func pathError(c Call, err error) error { return &fs.PathError{Op: c.Name, Path: c.Path, Err: err} }

// change does a change of names, if that is the fate.
func (p *Process) change(c Call, do func() error) error {
	fate, goesOn := p.begin(c)
	defer p.end(fate)
	if !goesOn {
		return fate.Err
	}
	if err := do(); err != nil {
		return pathError(c, err)
	}
	return nil
}

// MkdirAll makes a directory, and those above it.
func (p *Process) MkdirAll(path string) error {
	if above := filepath.Dir(path); above != "." && above != "/" {
		if err := p.MkdirAll(above); err != nil {
			return err
		}
	}
	return p.change(Call{Name: "mkdir", Path: path}, func() error {
		if p.disk.names[path] == nil {
			p.disk.create(path, true)
		}
		return nil
	})
}

type unlocker struct {
	*Process
	path string
}

func (u unlocker) Close() error {
	u.disk.mu.Lock()
	defer u.disk.mu.Unlock()
	if u.disk.locks[u.path] == u.Process {
		delete(u.disk.locks, u.path)
	}
	return nil
}

// Lock locks a file until it is closed, or the process is killed.
func (p *Process) Lock(path string) (io.Closer, error) {
	c := Call{Name: "lock", Path: path}
	err := p.change(c, func() error {
		if p.disk.locks[path] != nil {
			return errors.New("another process or component uses it")
		}
		if p.disk.names[path] == nil {
			p.disk.create(path, false)
		}
		p.disk.locks[path] = p
		return nil
	})
	return unlocker{p, path}, err
}

func (p *Process) read() error {
	if p.dead {
		return ErrDead
	}
	return nil
}

// ReadDir returns the entries of a directory, sorted by name.
func (p *Process) ReadDir(directory string) ([]fs.DirEntry, error) {
	p.disk.mu.Lock()
	defer p.disk.mu.Unlock()
	if err := p.read(); err != nil {
		return nil, err
	}
	var entries []fs.DirEntry
	for path, i := range p.disk.names {
		if filepath.Dir(path) == directory {
			entries = append(entries, fs.FileInfoToDirEntry(i.info(path)))
		}
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries, nil
}

// Lstat describes a file.
func (p *Process) Lstat(path string) (fs.FileInfo, error) {
	p.disk.mu.Lock()
	defer p.disk.mu.Unlock()
	i := p.disk.names[path]
	if err := p.read(); err != nil {
		return nil, err
	}
	if i == nil {
		return nil, pathError(Call{Name: "lstat", Path: path}, fs.ErrNotExist)
	}
	return i.info(path), nil
}

// Open opens a file.
func (p *Process) Open(path string, flag int) (disk.File, error) {
	p.disk.mu.Lock()
	i, err := p.disk.names[path], p.read()
	p.disk.mu.Unlock()
	c := Call{Name: "open", Path: path}
	switch {
	case err != nil:
		return nil, err
	case i == nil && flag&os.O_CREATE == 0:
		return nil, pathError(c, fs.ErrNotExist)
	case i != nil && flag&os.O_EXCL != 0:
		return nil, pathError(c, fs.ErrExist)
	case i == nil:
		err := p.change(Call{Name: "create", Path: path}, func() error {
			i = p.disk.create(path, false)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return &handle{process: p, inode: i, path: path}, nil
}

// Remove removes a file.
func (p *Process) Remove(path string) error {
	return p.change(Call{Name: "remove", Path: path}, func() error {
		if p.disk.names[path] == nil {
			return fs.ErrNotExist
		}
		p.disk.set(change{path: nil})
		return nil
	})
}

// RemoveAll removes a file, or a directory with all that is in it.
func (p *Process) RemoveAll(path string) error {
	return p.change(Call{Name: "remove", Path: path}, func() error {
		for _, other := range slices.Sorted(maps.Keys(p.disk.names)) {
			if other == path || strings.HasPrefix(other, path+"/") {
				p.disk.set(change{other: nil})
			}
		}
		return nil
	})
}

// Rename gives a file another name.
func (p *Process) Rename(from, to string) error {
	return p.rename(Call{Name: "rename", Path: from}, to, false)
}

// Replace exchanges two files, or gives the new one another name.
func (p *Process) Replace(newFile, oldFile string) error {
	return p.rename(Call{Name: "replace", Path: newFile}, oldFile, true)
}

func (p *Process) rename(c Call, to string, exchange bool) error {
	return p.change(c, func() error {
		i, old := p.disk.names[c.Path], p.disk.names[to]
		if i == nil {
			return fs.ErrNotExist
		}
		if !exchange {
			old = nil
		}
		p.disk.set(change{to: i, c.Path: old})
		return nil
	})
}

// SyncDirectory makes the names in a directory survive a power failure.
func (p *Process) SyncDirectory(path string) error {
	return p.change(Call{Name: "sync directory", Path: path}, func() error {
		p.disk.syncDirectory(path)
		return nil
	})
}

// Free returns the bytes that may still be written.
func (p *Process) Free(string) (int64, error) {
	p.disk.mu.Lock()
	defer p.disk.mu.Unlock()
	return max(p.disk.Capacity-p.disk.Used(), 0), p.read()
}

// handle is an open file.
type handle struct {
	process *Process
	inode   *Inode
	path    string
	offset  int64
}

func (h *handle) Read(b []byte) (int, error) {
	n, err := h.ReadAt(b, h.offset)
	h.offset += int64(n)
	if n > 0 && errors.Is(err, io.EOF) {
		err = nil
	}
	return n, err
}

func (h *handle) ReadAt(b []byte, offset int64) (int, error) {
	if h.process.Reads {
		if err := h.process.change(Call{Name: "read", Path: h.path}, func() error { return nil }); err != nil {
			return 0, err
		}
	}
	h.process.disk.mu.Lock()
	defer h.process.disk.mu.Unlock()
	if err := h.process.read(); err != nil {
		return 0, err
	}
	n := 0
	if offset < int64(len(h.inode.Data)) {
		n = copy(b, h.inode.Data[offset:])
	}
	for i := range int64(n) {
		if h.inode.Bad == nil {
			break
		}
		if err := h.inode.Bad(offset + i); err != nil {
			return int(i), err
		}
	}
	if n < len(b) {
		return n, io.EOF
	}
	return n, nil
}

func (h *handle) Write(b []byte) (int, error) {
	n, err := h.WriteAt(b, h.offset)
	h.offset += int64(n)
	return n, err
}

func (h *handle) WriteAt(b []byte, offset int64) (int, error) {
	c := Call{Name: "write", Path: h.path, Bytes: len(b)}
	fate, goesOn := h.process.begin(c)
	defer h.process.end(fate)
	n, err := len(b), fate.Err
	if !goesOn {
		n = min(fate.Bytes, len(b))
	}
	d := h.process.disk
	room := max(int64(len(h.inode.Data)), offset) + d.Capacity - d.Used() - offset
	if room < int64(n) {
		n, err = int(max(room, 0)), pathError(c, syscall.ENOSPC)
	}
	if n > 0 {
		h.inode.write(write{offset: offset, bytes: b[:n]})
	}
	return n, err
}

func (h *handle) Truncate(size int64) error {
	return h.process.change(Call{Name: "truncate", Path: h.path}, func() error {
		h.inode.write(write{offset: size})
		return nil
	})
}

func (h *handle) Sync() error {
	fate, goesOn := h.process.begin(Call{Name: "sync", Path: h.path})
	defer h.process.end(fate)
	switch {
	case goesOn:
		h.inode.sync()
	case fate.Err != nil && !fate.Dies:
		for n := range h.inode.writes {
			h.inode.writes[n].failed = !h.inode.writes[n].synced
		}
	}
	return fate.Err
}

func (h *handle) Close() error { return nil }

func (h *handle) Stat() (fs.FileInfo, error) {
	h.process.disk.mu.Lock()
	defer h.process.disk.mu.Unlock()
	return h.inode.info(h.path), h.process.read()
}

// info describes a file at one moment.
type info struct {
	name      string
	size      int64
	directory bool
}

func (i *Inode) info(path string) info {
	return info{name: filepath.Base(path), size: int64(len(i.Data)), directory: i.directory}
}

func (i info) Name() string       { return i.name }
func (i info) Size() int64        { return i.size }
func (i info) ModTime() time.Time { return time.Time{} }
func (i info) IsDir() bool        { return i.directory }
func (i info) Sys() any           { return nil }

func (i info) Mode() fs.FileMode {
	if i.directory {
		return fs.ModeDir | 0o700
	}
	return 0o600
}

func (c Call) String() string { return fmt.Sprintf("%s %s %d", c.Name, c.Path, c.Bytes) }
