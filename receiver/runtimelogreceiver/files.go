package runtimelogreceiver

import (
	"maps"
	"slices"
	"sync"
)

// files are those that are read, and those that the last run has read. It is safe for
// concurrent use.
type files struct {
	mu  sync.Mutex
	all map[*file]struct{} // guarded by mu
}

func (f *files) add(one *file) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.all == nil {
		f.all = map[*file]struct{}{}
	}
	f.all[one] = struct{}{}
}

func (f *files) remove(one *file) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.all, one)
}

// list returns the files as they are now.
func (f *files) list() []*file {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Collect(maps.Keys(f.all))
}
