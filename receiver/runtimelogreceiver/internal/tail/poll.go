// SPDX-License-Identifier: Apache-2.0

package tail

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// pollOnce finds the files, and enqueues those that changed.
func (t *Tailer) pollOnce(ctx context.Context) {
	now := time.Now()
	t.skipped.begin()
	w := walk{ctx: ctx, globs: t.globs, exclude: t.Exclude, skip: t.skipped.add, tree: maxTree, found: make([]found, 0, t.listed)}
	w.run()
	t.listed = len(w.found)
	if ctx.Err() != nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.polls++
	t.starving, t.closable, t.newBudget, t.compareBudget = false, nil, max(1, t.MaxOpen/2), maxCompares
	t.undecided = map[string]bool{}
	names := make(map[string]identity, len(w.found))
	for _, one := range w.found {
		names[one.path] = identify(one.path, one.info)
	}
	var changed []*file // files to read
	var unknown []found
	for _, one := range w.found {
		id := names[one.path]
		f := t.byID[id]
		switch {
		case one.info.Mode()&fs.ModeSymlink != 0 || f == nil || t.reused(f, one.path, one.info):
			if !originalFound(one.path, names) {
				unknown = append(unknown, one)
			}
		case f.seen == t.polls, f.path != one.path && names[f.path] == id:
			// A file with several names keeps its path.
		default:
			f.found(one, t.polls)
			f.unread = f.state != idle || f.changed(one.info) // a worker has the state of a busy file
			if f.state == idle && !f.failed && f.unread {
				changed = append(changed, f)
			}
		}
	}
	for _, one := range t.inTurn(unknown) {
		if f := t.handleUnknown(ctx, one, now); f != nil {
			t.enqueue(f)
		}
	}
	slices.SortStableFunc(changed, func(a, b *file) int { return cmp.Compare(a.turn, b.turn) })
	for _, f := range changed {
		if f.state == idle && t.reopen(f) {
			t.enqueue(f)
		}
	}
	t.handleGone(now)
	maps.DeleteFunc(t.copies, func(_ identity, c *fileCopy) bool { return c.seen != t.polls })
	if t.polls == 1 {
		t.Polled()
	}
}

// inTurn sorts files so that the directories take turns. Files of the last run come first,
// because a new file may be a copy of one of them.
func (t *Tailer) inTurn(files []found) []found {
	restored := map[string]bool{}
	for _, f := range t.files {
		if f.origin == restoredFile {
			restored[f.path] = true
		}
	}
	ranks := make(map[string]int, len(files))
	before := map[string]int{} // the number of files of each directory so far
	for _, one := range files {
		dir := filepath.Dir(one.path)
		ranks[one.path] = before[dir]
		before[dir]++
		if !restored[one.path] {
			ranks[one.path] += maxEntries
		}
	}
	slices.SortStableFunc(files, func(a, b found) int { return cmp.Compare(ranks[a.path], ranks[b.path]) })
	return files
}

// found updates a file to where a poll found it.
func (f *file) found(one found, poll uint64) {
	if f.descriptor == nil && (poll != f.seen+1 || one.path != f.path) {
		f.inodeDoubtful = true
	}
	f.setPath(one.path)
	f.root, f.rel = one.root, one.rel
	f.seen, f.goneSince, f.ended, f.deleted = poll, time.Time{}, false, false
}

// openFound opens a found file. It returns nil and reports the reason if the file must not be
// read.
func (t *Tailer) openFound(path, root, rel string) (*os.File, fs.FileInfo) {
	file, info, err := openFile(root, rel, t.Roots)
	var refuse refusal
	switch {
	case err == nil:
		return file, info
	case errors.As(err, &refuse):
		t.skipped.add(path, refuse.Reason, refuse.err)
	}
	return nil, nil
}

// reopen opens a file that is closed, if it is still at its path. It reports whether the file
// is open.
func (t *Tailer) reopen(f *file) bool {
	if f.descriptor != nil {
		return true
	}
	if f.isArchive && t.archives >= maxArchives || !t.room() {
		return false
	}
	descriptor, info := t.openFound(f.path, f.root, f.rel)
	if descriptor == nil {
		return false
	}
	if identify(f.path, info) != f.id {
		_ = descriptor.Close()
		return false
	}
	t.open++
	if f.isArchive {
		t.archives++
		f.opened(openArchive(descriptor, info.Size()))
	} else {
		f.opened(descriptor)
	}
	return true
}

// room reports whether a descriptor is free. It closes the idle file with the oldest turn if
// necessary.
func (t *Tailer) room() bool {
	if t.open < t.MaxOpen {
		return true
	}
	if t.closable == nil {
		t.closable = []*file{}
		for _, f := range t.files {
			if f.descriptor != nil && f.state == idle && f.seen == t.polls {
				t.closable = append(t.closable, f)
			}
		}
		slices.SortFunc(t.closable, func(a, b *file) int { return cmp.Compare(b.turn, a.turn) })
	}
	for len(t.closable) > 0 {
		last := len(t.closable) - 1
		f := t.closable[last]
		t.closable = t.closable[:last]
		if f.descriptor != nil && f.state == idle {
			t.close(f)
			return true
		}
	}
	t.starving = true
	return false
}

// handleUnknown decides what to do with a file whose inode is unknown. It returns the file if
// it has to be read.
func (t *Tailer) handleUnknown(ctx context.Context, one found, now time.Time) *file {
	if one.info.Mode().IsRegular() && t.stillCopied(identify(one.path, one.info), one.info) {
		return nil
	}
	if len(t.files) >= maxFiles || t.exceedsShare(one.path) {
		t.skipped.add(one.path, TooMany, nil)
		return nil
	}
	// At the first start with FromEnd, every existing file has to be registered at its end.
	first := t.FromEnd && t.polls == 1
	isLink := !one.info.Mode().IsRegular()
	if !first && (t.newBudget == 0 && !isLink || !t.room()) {
		t.undecided[filepath.Dir(one.path)] = true
		return nil
	}
	descriptor, info := t.openFound(one.path, one.root, one.rel)
	if descriptor == nil {
		if !isLink && t.skipped.now[one.path] == "" {
			t.undecided[filepath.Dir(one.path)] = true // it may just have been renamed
		}
		return nil
	}
	id := identify(one.path, info)
	f := t.byID[id]
	switch {
	case f != nil && !t.reused(f, one.path, info):
		// A link, or a file that was renamed during this poll.
		_ = descriptor.Close()
		if f.seen == t.polls {
			return nil
		}
		f.found(one, t.polls)
		if f.state == idle && !f.failed && f.changed(info) && t.reopen(f) {
			return f
		}
		return nil
	case !first && t.newBudget == 0:
		t.undecided[filepath.Dir(one.path)] = true
		_ = descriptor.Close()
		return nil
	}
	if isArchive(one.path, descriptor) {
		return t.handleArchive(ctx, one, id, descriptor, info, now)
	}
	f = t.adopt(ctx, one, id, descriptor, info)
	if f == nil {
		_ = descriptor.Close()
		return nil
	}
	f.id, f.position.Device, f.position.Inode = id, id.Device, id.Inode
	f.found(one, t.polls)
	t.add(f)
	f.turn = 0
	f.opened(descriptor)
	t.open++
	if first && f.position.Offset == info.Size() {
		f.size, f.modified = info.Size(), info.ModTime()
		if t.open > t.MaxOpen {
			t.close(f)
		}
		return nil
	}
	t.newBudget--
	return f
}

// adopt returns the file for a new inode: one that is known by its content, or a new one. It
// returns nil for a copy of a followed file.
func (t *Tailer) adopt(ctx context.Context, one found, id identity, descriptor *os.File, info fs.FileInfo) *file {
	if f := t.knownByContent(one, id, descriptor, info.Size()); f != nil {
		if t.byID[f.id] == f {
			delete(t.byID, f.id)
		}
		f.origin, f.isArchive, f.position.Packed, f.position.End = foundFile, false, Span{}, false
		return f
	}
	if t.FromEnd && t.polls == 1 {
		f := &file{reader: t.NewReader(), position: atEnd(one.path, descriptor, info.Size()), named: one.path}
		f.position.Device, f.position.Inode = id.Device, id.Inode
		f.reader.Renamed(one.path)
		if f.reader.Read(ctx, nil, f.position) != nil {
			return nil
		}
		return f
	}
	if t.copyOf(one, id, descriptor, info) {
		return nil
	}
	return &file{reader: t.NewReader(), position: Checkpoint{Path: one.path}}
}

// atEnd returns the checkpoint of a file that is read from its end.
func atEnd(path string, descriptor *os.File, size int64) Checkpoint {
	at := Checkpoint{Path: path}
	text := make([]byte, min(size, comparedBytes))
	n, _ := descriptor.ReadAt(text, size-int64(len(text)))
	if n == len(text) && size > 0 {
		at.advance(descriptor, size, text)
	}
	return at
}

// handleGone ends and forgets files that no pattern matches any more.
func (t *Tailer) handleGone(now time.Time) {
	var kept []*file // deleted files that take disk space because they are open
	var room int64
	for _, f := range t.files {
		if f.seen == t.polls {
			continue
		}
		if f.goneSince.IsZero() {
			f.goneSince = now
		}
		if f.descriptor != nil {
			info, err := f.descriptor.Stat()
			f.deleted = err == nil && deleted(info)
			if f.deleted {
				kept, room = append(kept, f), room+info.Size()
			}
			if err == nil && f.state == idle && f.changed(info) {
				t.enqueue(f)
			}
		}
		if f.state == idle && !f.failed {
			f.action = t.goneActionOf(f, now.Sub(f.goneSince))
		}
		if f.action != keepReading && f.state == idle {
			t.enqueue(f)
		}
	}
	if room > maxDeleted {
		t.closeDeleted(kept, room)
	}
}

// goneActionOf returns what to do with a file that is gone and read to its end.
func (t *Tailer) goneActionOf(f *file, gone time.Duration) goneAction {
	wait := goneGrace
	switch f.origin {
	case restoredFile:
		wait = rememberGone
	case replacedFile:
		wait = copyWait
	}
	switch {
	case t.undecided[f.dir] && (f.ended || f.origin != foundFile) && len(t.files) < maxFiles/2:
		return keepReading // an archive may continue it
	case f.ended && f.deleted && gone < compressGrace && len(t.files) < maxFiles/2:
		return keepReading
	case f.ended && (f.deleted || f.origin == replacedFile || gone >= rememberGone):
		return forgetFile
	case f.ended:
		return keepReading
	case f.deleted && f.origin == foundFile && t.hasCopy(f):
		// It was copied and then deleted, so reading continues in the copy.
		f.origin = replacedFile
		t.close(f)
		delete(t.byID, f.id)
		return keepReading
	case f.deleted || gone >= wait:
		if f.origin == restoredFile && !f.position.End && isDir(f.dir) {
			t.Skipped(f.path, Gone, nil)
		}
		return endFile
	}
	return keepReading
}

// closeDeleted closes deleted files that are not read to their end, the oldest first, until
// they take at most maxDeleted bytes of disk space.
func (t *Tailer) closeDeleted(kept []*file, room int64) {
	slices.SortFunc(kept, func(a, b *file) int { return a.goneSince.Compare(b.goneSince) })
	for _, f := range kept {
		if room <= maxDeleted {
			return
		}
		info, err := f.descriptor.Stat()
		if err != nil || f.state == busy {
			continue
		}
		room -= info.Size()
		t.skipped.add(f.path, Deleted, nil)
		t.close(f)
		f.action = endFile
		if f.state == idle {
			t.enqueue(f)
		}
	}
}

// owner returns whose a file is.
func (t *Tailer) owner(f *file) string {
	if f.owner == nil {
		owner := t.Owner(f.path)
		f.owner = &owner
	}
	return *f.owner
}

// reused reports whether another file has the inode of a followed file: another owner's file, or another archive. An
// archive does not change when it is renamed. While a file is open, no other file can have its inode.
func (t *Tailer) reused(f *file, path string, info fs.FileInfo) bool {
	return f.descriptor == nil && f.path != path && (f.isArchive && f.changed(info) || t.owner(f) != t.Owner(path))
}

// exceedsShare reports whether the owner of a new file has as many files as are free for all others, so that a few
// owners with many files do not take the room of the others.
func (t *Tailer) exceedsShare(path string) bool {
	free := maxFiles - len(t.files)
	if len(t.files) < free {
		return false // nearly always: no path has to be matched
	}
	owner := t.Owner(path)
	if owner == "" {
		return false
	}
	if t.sharesAt != t.polls {
		t.sharesAt, t.shares = t.polls, map[string]int{}
		for _, f := range t.files {
			t.shares[t.owner(f)]++
		}
	}
	return t.shares[owner] >= free
}
