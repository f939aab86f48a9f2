// SPDX-License-Identifier: Apache-2.0

package diskqueue

import (
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

var errDead = errors.New("the process is dead")

// memory is a file system in memory. The process that uses it can die at every byte that it writes and at
// every other change; the disk can be full and can fail.
type memory struct {
	nodes  map[string]*node
	locked bool

	dead     bool
	steps    int   // changes and bytes written
	deadline int   // the process dies instead of this step
	capacity int64 // of all files
	faults   *rand.Rand
	failing  int // the next changes fail, and writes are complete all the same
	failed   int // changes that failed because of faults
	unclean  int // of these, those of truncating and deleting
}

type node struct {
	data []byte
	bad  func(at int64) error // of reading
}

func newMemory() *memory {
	return &memory{nodes: map[string]*node{}, deadline: math.MaxInt, capacity: math.MaxInt64}
}

// clone returns what is on the disk, without faults.
func (m *memory) clone() *memory {
	c := newMemory()
	for path, n := range m.nodes {
		c.nodes[path] = &node{data: slices.Clone(n.data)}
	}
	return c
}

// restart starts a process that dies after some steps.
func (m *memory) restart(steps int) {
	m.dead, m.locked, m.steps, m.deadline = false, false, 0, steps
}

func (m *memory) segments() []string {
	var paths []string
	for path := range m.nodes {
		if strings.HasSuffix(path, extension) {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	return paths
}

func (m *memory) used() (bytes int64) {
	for _, n := range m.nodes {
		bytes += int64(len(n.data))
	}
	return bytes
}

// step returns how many of n steps happen before the process dies.
func (m *memory) step(n int) (int, error) {
	if m.dead {
		return 0, errDead
	}
	m.steps += n
	if m.steps > m.deadline {
		m.dead = true
		return n - (m.steps - m.deadline), errDead
	}
	return n, nil
}

// change is a step that can fail.
func (m *memory) change() error {
	if _, err := m.step(1); err != nil {
		return err
	}
	return m.fault()
}

func (m *memory) fault() error {
	if m.failing > 0 || m.faults != nil && m.faults.IntN(10) == 0 {
		m.failing--
		m.failed++
		return syscall.EIO
	}
	return nil
}

func (m *memory) makeDirectory(string) error { return nil }

func (m *memory) lock(string) (io.Closer, error) {
	if m.locked {
		return nil, errors.New("locked")
	}
	m.locked = true
	return unlocker{m}, nil
}

type unlocker struct{ *memory }

func (u unlocker) Close() error {
	u.locked = false
	return nil
}

func (m *memory) list(directory string) ([]string, error) {
	var names []string
	for path := range m.nodes {
		if filepath.Dir(path) == directory {
			names = append(names, filepath.Base(path))
		}
	}
	return names, nil
}

func (m *memory) open(path string, flag int) (file, error) {
	n := m.nodes[path]
	switch {
	case m.dead:
		return nil, errDead
	case n == nil && flag&os.O_CREATE == 0:
		return nil, os.ErrNotExist
	case n != nil && flag&os.O_EXCL != 0:
		return nil, os.ErrExist
	case n == nil:
		if err := m.change(); err != nil {
			return nil, err
		}
		n = &node{}
		m.nodes[path] = n
	}
	return &handle{m, n}, nil
}

func (m *memory) remove(path string) error {
	if err := m.change(); err != nil {
		m.unclean++
		return err
	}
	if m.nodes[path] == nil {
		return os.ErrNotExist
	}
	delete(m.nodes, path)
	return nil
}

func (m *memory) syncDirectory(string) error { return m.change() }

func (m *memory) free(string) (int64, error) { return m.capacity - m.used(), nil }

type handle struct {
	*memory
	node *node
}

func (h *handle) ReadAt(b []byte, at int64) (int, error) {
	if h.dead {
		return 0, errDead
	}
	n := 0
	if at < int64(len(h.node.data)) {
		n = copy(b, h.node.data[at:])
	}
	for i := range int64(n) {
		if h.node.bad == nil {
			break
		}
		if err := h.node.bad(at + i); err != nil {
			return int(i), err
		}
	}
	if n < len(b) {
		return n, io.EOF
	}
	return n, nil
}

func (h *handle) WriteAt(b []byte, at int64) (int, error) {
	n, err := h.step(len(b))
	if err == nil {
		if err = h.fault(); err != nil && h.faults != nil {
			n = h.faults.IntN(len(b) + 1)
		}
	}
	room := max(int64(len(h.node.data)), at) + h.capacity - h.used() - at
	if room < int64(n) {
		n, err = int(max(room, 0)), syscall.ENOSPC
	}
	if end := at + int64(n); n > 0 && end > int64(len(h.node.data)) {
		h.node.data = append(h.node.data, make([]byte, end-int64(len(h.node.data)))...)
	}
	copy(h.node.data[min(at, int64(len(h.node.data))):], b[:n])
	return n, err
}

func (h *handle) Truncate(size int64) error {
	if err := h.change(); err != nil {
		h.unclean++
		return err
	}
	h.node.data = h.node.data[:min(size, int64(len(h.node.data)))]
	return nil
}

func (h *handle) Sync() error { return h.change() }

func (h *handle) Close() error { return nil }

func (h *handle) size() (int64, error) { return int64(len(h.node.data)), nil }
