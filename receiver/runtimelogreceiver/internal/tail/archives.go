// SPDX-License-Identifier: Apache-2.0

package tail

import (
	"bytes"
	"cmp"
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

const (
	// maxArchives bounds the archives that are open at a time, each with 200 KiB of memory.
	maxArchives = 4
	// archiveRest is how long an archive has to be unchanged: what writes it may not be done.
	archiveRest = time.Second
	// compressGrace is how long a deleted file is remembered, so that its archive, which a poll
	// may find later, is not read again.
	compressGrace = archiveRest + 3*time.Second
)

// claim is the question which file an archive continues. A worker answers it, because the
// text has to be decompressed.
type claim struct {
	files []*file // whose beginning the archive has, by their offset
	at    []Checkpoint
	best  int // the index of the answer, or -1 for none

	live []liveFile // files that are still there and begin as the archive does
	// copied is the one of live that begins with all of the archive's text, or nil, and size is the size of that text.
	copied *file
	size   int64
	again  bool // a file of live was truncated: its old state may be what the archive continues
}

// liveFile is a file that an archive may be a copy of.
type liveFile struct {
	*file
	id              identity
	path, root, rel string
	at              Checkpoint // empty if a worker has it
}

// compare finds out whether the text is a copy of a live file.
func (c *claim) compare(ctx context.Context, text *archive, roots []string) {
	for _, other := range c.live {
		descriptor, info, err := openFile(other.root, other.rel, roots)
		if err != nil {
			continue
		}
		if identify(other.path, info) == other.id {
			c.size = text.beginning(ctx, descriptor)
			if c.size > 0 {
				c.copied = other.file
			} else if other.at.Offset > 0 && !other.at.matches(descriptor, info.Size()) {
				c.again = true
			}
		}
		_ = descriptor.Close()
		if c.copied != nil {
			return
		}
	}
}

// originalFound reports whether a file is an archive whose original is still there: the
// original is read instead.
func originalFound(path string, names map[string]identity) bool {
	original, ok := strings.CutSuffix(path, archiveSuffix)
	if !ok {
		return false
	}
	_, found := names[original]
	return found
}

// handleArchive decides what to do with an archive whose inode is unknown. It owns the
// descriptor. It returns the file if a worker has to read it.
func (t *Tailer) handleArchive(ctx context.Context, one found, id identity, descriptor *os.File, info fs.FileInfo, now time.Time) *file {
	first := t.FromEnd && t.polls == 1
	if !first && (t.archives >= maxArchives || now.Sub(info.ModTime()).Abs() < archiveRest) {
		t.undecided[filepath.Dir(one.path)] = true
		_ = descriptor.Close()
		return nil
	}
	text := openArchive(descriptor, info.Size())
	f := &file{id: id, isArchive: true, at: Checkpoint{Path: one.path, Device: id.Device, Inode: id.Inode, Packed: text.packed}}
	f.found(one, t.polls)
	if first || t.copyRead(id, info) {
		_ = text.Close()
		f.at.End, f.size, f.modified = true, info.Size(), info.ModTime()
		t.assign(f)
		if f.reader.Read(ctx, nil, f.at) == nil {
			t.add(f)
		}
		return nil
	}
	known, wait := t.samePacked(f)
	if known == nil && !wait {
		f.claim, wait = t.claim(f, text)
	}
	switch {
	case wait:
		t.undecided[f.dir] = true
		_ = text.Close()
		return nil
	case known != nil && known.origin == foundFile && known.seen == t.polls:
		_ = text.Close()
		t.copies[id] = &fileCopy{original: known, size: info.Size(), modified: info.ModTime(), seen: t.polls}
		return nil
	}
	t.newBudget--
	f.descriptor = text
	t.open++
	t.archives++
	t.add(f)
	switch {
	case known != nil:
		t.continueIn(known, f)
		return known
	case len(f.claim.files) == 0 && len(f.claim.live) == 0:
		f.claim = nil
		t.assign(f)
	}
	return f
}

func (t *Tailer) add(f *file) {
	t.files[f] = struct{}{}
	t.byID[f.id] = f
	delete(t.copies, f.id)
}

// assign gives a file a reader of its own.
func (t *Tailer) assign(f *file) {
	f.reader, f.named = t.NewReader(), f.path
	f.reader.Renamed(f.path)
}

// samePacked returns the archive that is the same compressed file. Wait means that it is being
// read.
func (t *Tailer) samePacked(f *file) (known *file, wait bool) {
	for other := range t.files {
		switch {
		case !other.isArchive || other.dir != f.dir || other.failed:
		case other.state != idle:
			// The worker owns its checkpoint. Its descriptor has the same information.
			if text, ok := other.descriptor.(*archive); ok && text.packed == f.at.Packed {
				return nil, true
			}
		case other.at.Packed == f.at.Packed && (known == nil || known.origin != foundFile):
			known = other
		}
	}
	return known, false
}

// claim returns the files that an archive may continue: those that are gone or of the last run, and
// begin as it does. Wait means that one of them is being read.
func (t *Tailer) claim(f *file, text *archive) (c *claim, wait bool) {
	c = &claim{best: -1}
	for other := range t.files {
		switch {
		case other.dir != f.dir || other.failed || other.claim != nil:
		case other.origin == foundFile && other.seen == t.polls:
			if other.inodeDoubtful && (other.state != idle || other.unread) {
				return c, true // it may be gone, and another file have its inode
			}
			switch {
			case other.isArchive:
			case len(other.head) == 0 && other.state != idle:
				return c, true // a worker is about to read its beginning
			case other.beginsAs(text.head):
				live := liveFile{file: other, id: other.id, path: other.path, root: other.root, rel: other.rel}
				if other.state == idle {
					live.at = other.at
				}
				c.live = append(c.live, live)
			}
		case other.state != idle:
			return c, true
		case other.at.Offset > 0 && other.at.First.in(text):
			c.files = append(c.files, other)
		}
	}
	slices.SortFunc(c.files, func(a, b *file) int { return cmp.Compare(a.at.Offset, b.at.Offset) })
	for _, other := range c.files {
		c.at = append(c.at, other.at)
	}
	return c, false
}

// beginsAs reports whether a file and a text that begins with head may begin with the same bytes.
func (f *file) beginsAs(head []byte) bool {
	common := min(len(f.head), len(head))
	return common > 0 && bytes.Equal(f.head[:common], head[:common])
}

// decide follows the answer to a claim.
func (t *Tailer) decide(f *file) {
	c := f.claim
	f.claim = nil
	if c.best < 0 {
		switch {
		case c.copied != nil:
			info, err := f.descriptor.Stat()
			t.remove(f)
			if err == nil {
				t.copies[f.id] = &fileCopy{original: c.copied, size: info.Size(), modified: info.ModTime(), text: c.size, seen: t.polls}
			}
			return
		case c.again:
			t.remove(f) // the next poll asks again
			return
		}
		t.assign(f)
		t.enqueue(f)
		return
	}
	known := c.files[c.best]
	if _, ok := t.files[known]; !ok || known.state != idle || known.failed || known.at != c.at[c.best] {
		t.remove(f) // the next poll asks again
		return
	}
	t.continueIn(known, f)
	t.enqueue(known)
}

// continueIn makes a known file continue in an archive.
func (t *Tailer) continueIn(known, f *file) {
	t.close(known)
	if t.byID[known.id] == known {
		delete(t.byID, known.id)
	}
	at := known.at
	at.Device, at.Inode, at.Packed, at.End = f.id.Device, f.id.Inode, f.at.Packed, at.End && at.Packed == f.at.Packed
	known.at, known.id, known.isArchive, known.descriptor = at, f.id, true, f.descriptor
	known.setPath(f.path)
	known.root, known.rel, known.seen, known.goneSince = f.root, f.rel, f.seen, f.goneSince
	known.origin, known.action, known.head, known.turn = foundFile, keepReading, nil, 0
	known.ended, known.deleted, known.inodeDoubtful = false, false, false
	delete(t.files, f)
	t.add(known)
}

// runArchive reads the next bytes of an archive's text, and ends the file after the last.
func (f *file) runArchive(ctx context.Context, text *archive, buffer []byte) (out outcome, zeros int64) {
	info, err := text.Stat()
	if err != nil {
		return outcome{}, 0
	}
	f.size, f.modified = info.Size(), info.ModTime()
	if !f.at.End || f.at.Packed != text.packed {
		f.at.End, f.at.Packed = false, text.packed
		if !text.skip(ctx, f.at.Offset) {
			return outcome{more: true}, 0
		}
		f.findMidLine()
		if out, zeros = f.run(ctx, buffer); out.more || out.truncated || out.err != nil {
			return out, zeros
		}
		out.lost, out.lostErr = text.lost()
		f.at.End = true
	}
	out.finished = true
	if out.err = f.reader.Read(ctx, nil, f.at); out.err == nil {
		out.err = f.reader.Ended(ctx)
	}
	return out, zeros
}
