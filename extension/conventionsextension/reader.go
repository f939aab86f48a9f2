// SPDX-License-Identifier: Apache-2.0

package conventionsextension

import (
	"context"
	"fmt"
	"time"

	packs "github.com/otelcol-tc/otelcol-tc/conventions"
)

const (
	// patience is how long a read may take. On a network file system that is away, it never ends.
	patience = 2 * time.Second
	// firstRetry is when a read that did not end is tried again, and each time after double the time: what hangs may
	// have been replaced.
	firstRetry = time.Minute
)

// reader reads paths, and goes on with what they had last if a read does not end.
type reader struct {
	read  packs.Files
	paths map[string]*reading
}

// reading is what is known of a path.
type reading struct {
	last    result
	pending chan result // of a read that has not ended, or nil
	retry   time.Time   // when it is given up
	pause   time.Duration
}

type result struct {
	files []packs.File
	err   error
}

func newReader(read packs.Files) *reader {
	return &reader{read: read, paths: map[string]*reading{}}
}

// get returns the files of a path as they are now, or as they were last if it hangs.
func (r *reader) get(ctx context.Context, path string) ([]packs.File, error) {
	p := r.paths[path]
	if p == nil {
		p = &reading{last: result{err: fmt.Errorf("%s: cannot be read within %s", path, patience)}, pause: firstRetry}
		r.paths[path] = p
	}
	if p.pending != nil && time.Now().After(p.retry) {
		p.pending, p.pause = nil, 2*p.pause
	}
	wait := pollInterval / 50 // others must not wait for it again
	if p.pending == nil {
		wait = patience
		p.retry = time.Now().Add(p.pause)
		p.pending = make(chan result, 1)
		go func(done chan<- result) {
			files, err := r.read(path)
			done <- result{files, err}
		}(p.pending)
	}
	select {
	case p.last = <-p.pending:
		p.pending, p.pause = nil, firstRetry
	case <-time.After(wait):
	case <-ctx.Done():
	}
	return p.last.files, p.last.err
}

// hangs returns the paths that do not answer.
func (r *reader) hangs(paths []string) (all []string) {
	for _, path := range paths {
		if p := r.paths[path]; p != nil && p.pending != nil {
			all = append(all, path)
		}
	}
	return all
}

// snapshot returns the files of paths, each read once.
func (r *reader) snapshot(ctx context.Context) packs.Files {
	read := map[string]result{}
	return func(path string) ([]packs.File, error) {
		known, ok := read[path]
		if !ok {
			known.files, known.err = r.get(ctx, path)
			read[path] = known
		}
		return known.files, known.err
	}
}
