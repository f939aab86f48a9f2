// SPDX-License-Identifier: Apache-2.0

package runtimelogreceiver

import (
	"maps"
	"slices"
	"sync"
)

// files is the set of followed files and files of the last run. It is safe for concurrent use.
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

// list returns the current files.
func (f *files) list() []*file {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Collect(maps.Keys(f.all))
}
