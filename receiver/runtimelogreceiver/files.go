package runtimelogreceiver

import (
	"maps"
	"slices"
	"sync"
)

// files are those that were read lately, and those that the last run has read. It is
// safe for concurrent use.
type files struct {
	create func(path string) *file

	mu     sync.Mutex
	all    map[*file]struct{} // guarded by mu
	byPath map[string]*file   // where files were last; guarded by mu
}

func newFiles(create func(path string) *file) *files {
	return &files{create: create, all: map[*file]struct{}{}, byPath: map[string]*file{}}
}

// begin returns the file that is read, and the one that had its path before, if there
// is another. The file is busy until end is called.
func (f *files) begin(now *reading) (found, displaced *file) {
	f.mu.Lock()
	defer f.mu.Unlock()
	found = f.find(now)
	if found == nil {
		found = f.create(now.path)
		f.all[found] = struct{}{}
	}
	found.busy, found.restored = true, false
	if last := f.byPath[now.path]; last != found {
		displaced = last
	}
	f.byPath[now.path] = found
	return found, displaced
}

func (f *files) find(now *reading) *file {
	last := f.byPath[now.path]
	if last != nil && !last.busy && (last.at == now.offset || last.repeatedBy(now)) {
		return last
	}
	// It was renamed.
	for other := range f.all {
		if !other.busy && (now.offset == other.at && now.matches(&other.progress) || other.repeatedBy(now)) {
			return other
		}
	}
	return nil
}

// repeatedBy tells whether the last run has delivered what is read, and notes how far.
func (f *file) repeatedBy(now *reading) bool {
	if !f.restored || !now.repeats(&f.progress) {
		return false
	}
	f.repeated = f.End
	return true
}

// end tells that a file was read up to an offset.
func (f *files) end(file *file, at int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	file.at, file.busy = at, false
}

// restore adds a file that the last run has read.
func (f *files) restore(file *file) {
	f.mu.Lock()
	defer f.mu.Unlock()
	file.restored = true
	f.all[file] = struct{}{}
	if !file.Moved {
		f.byPath[file.Path] = file
	}
}

// list returns the files as they are now.
func (f *files) list() []*file {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Collect(maps.Keys(f.all))
}

// forget removes a file, and returns false when it is in use.
func (f *files) forget(idle *file) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if idle.busy {
		return false
	}
	delete(f.all, idle)
	maps.DeleteFunc(f.byPath, func(_ string, known *file) bool { return known == idle })
	return true
}
