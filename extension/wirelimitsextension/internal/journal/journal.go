// SPDX-License-Identifier: Apache-2.0

package journal

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/zeebo/xxh3"
)

const (
	// MaxStrikes is how often the process may die while it handles a request.
	MaxStrikes = 3
	// forgetAfter exceeds the 24 hours for which clients repeat the same request.
	forgetAfter = 48 * time.Hour
	// turnTimeout bounds how long a suspect waits for another one.
	turnTimeout = time.Second
)

// Verdict is what to do with a request.
type Verdict int

const (
	// Handle means that the request has to be handled.
	Handle Verdict = iota
	// Later means that the request is a suspect, and another suspect is being handled.
	Later
	// Poison means that the request must not be handled any more.
	Poison
)

// Journal is safe for concurrent use. The verdict of a nil Journal is always Handle.
type Journal struct {
	seed uint64
	turn chan struct{} // holds one value while a suspect is in flight

	mu       sync.Mutex
	file     *os.File               // nil after Close; guarded by mu
	failed   error                  // the first write error; guarded by mu
	free     []int                  // slots; guarded by mu
	suspects map[Fingerprint]record // guarded by mu
	places   map[Fingerprint]int    // the records of suspects in the file; guarded by mu
	buffer   [recordSize]byte       // guarded by mu
}

// Open opens the journal in a directory, and creates it if necessary. It returns how many
// requests were in flight when the process that last wrote it died. Only one process can have
// it open.
func Open(directory, version string) (j *Journal, died int, err error) {
	return open(directory, version, bootID(), time.Now())
}

func open(directory, version string, boot Fingerprint, now time.Time) (j *Journal, died int, err error) {
	if err := os.MkdirAll(directory, 0o750); err != nil {
		return nil, 0, err
	}
	file, err := os.OpenFile(filepath.Join(directory, "journal"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, 0, err
	}
	if err := lock(file); err != nil {
		_ = file.Close()
		return nil, 0, fmt.Errorf("another process has %s open: %w", file.Name(), err)
	}
	written, err := io.ReadAll(io.LimitReader(file, fileSize+1))
	if err != nil {
		_ = file.Close()
		return nil, 0, err
	}
	before, ok := parse(written)
	if !ok {
		before = content{header: header{seed: rand.Uint64()}}
	}
	suspects, died := judge(before, hashOf(version), boot, now)
	j = &Journal{seed: before.seed, turn: make(chan struct{}, 1), file: file}
	if err := j.begin(header{seed: before.seed, boot: boot, version: hashOf(version)}, suspects); err != nil {
		_ = file.Close()
		return nil, 0, err
	}
	return j, died, nil
}

// judge adds strikes. It returns the suspects, and how many requests were in flight. A new
// version of the collector starts without suspects, because it may handle them.
func judge(c content, version, boot Fingerprint, now time.Time) (suspects map[Fingerprint]record, died int) {
	suspects = map[Fingerprint]record{}
	if c.version != version {
		return suspects, 0
	}
	for _, s := range c.suspects {
		if age := now.Unix() - s.seconds; age < int64(forgetAfter.Seconds()) {
			s.seconds = min(s.seconds, now.Unix()) // the clock may have been ahead
			suspects[s.fingerprint] = s
		}
	}
	if c.boot != boot {
		return suspects, 0
	}
	struck := map[Fingerprint]bool{}
	for _, f := range c.inFlight {
		if !struck[f] { // the same request may have been in flight twice
			struck[f] = true
			suspects[f] = record{fingerprint: f, strikes: min(suspects[f].strikes, MaxStrikes) + 1, seconds: now.Unix()}
		}
	}
	return suspects, len(c.inFlight)
}

// begin writes a new file without requests in flight, and with as many suspects as fit.
func (j *Journal) begin(h header, suspects map[Fingerprint]record) error {
	all := make([]record, 0, len(suspects))
	for _, s := range suspects {
		all = append(all, s)
	}
	slices.SortFunc(all, func(a, b record) int {
		return cmp.Or(cmp.Compare(b.strikes, a.strikes), cmp.Compare(b.seconds, a.seconds))
	})
	all = all[:min(len(all), maxSuspects)]

	written := h.append(nil)
	written = append(written, make([]byte, slots*recordSize)...)
	j.suspects, j.places = map[Fingerprint]record{}, map[Fingerprint]int{}
	for i, s := range all {
		written = s.append(written, h.seed)
		j.suspects[s.fingerprint], j.places[s.fingerprint] = s, slots+i
	}
	written = append(written, make([]byte, fileSize-len(written))...)
	if _, err := j.file.WriteAt(written, 0); err != nil {
		return err
	}
	for i := range slots {
		j.free = append(j.free, slots-1-i)
	}
	return j.file.Truncate(fileSize)
}

// Close records that nothing is in flight, and closes the file. It returns the first write
// error.
func (j *Journal) Close() error {
	if j == nil {
		return nil
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.file == nil {
		return nil
	}
	_, err := j.file.WriteAt(make([]byte, slots*recordSize), int64(offset(0)))
	err = cmp.Or(j.failed, err, j.file.Close())
	j.file = nil
	return err
}

// Hash returns an empty hash for a request.
func (j *Journal) Hash() *Hash {
	return &Hash{xxh3.NewSeed(j.seed)}
}

// Hash is the hash of a request's bytes.
type Hash struct{ hasher *xxh3.Hasher }

// Add adds the next bytes.
func (h *Hash) Add(chunk []byte) { _, _ = h.hasher.Write(chunk) }

// Fingerprint returns the fingerprint of all added bytes.
func (h *Hash) Fingerprint() Fingerprint { return h.hasher.Sum128().Bytes() }

// Poisons returns the requests that must not be handled any more.
func (j *Journal) Poisons() (all []Fingerprint) {
	if j == nil {
		return nil
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, s := range j.suspects {
		if s.strikes >= MaxStrikes {
			all = append(all, s.fingerprint)
		}
	}
	return all
}

// Entry is a request that is being handled.
type Entry struct {
	journal     *Journal
	fingerprint Fingerprint
	slot        int // noSlot if the request is not in the file
	suspect     bool
}

// noSlot is the slot of a request for which the file has no room.
const noSlot = -1

// Begin records that a request is about to be handled. A suspect waits for its turn. If the
// verdict is Handle, the caller must call End on the entry. Otherwise the entry is nil.
func (j *Journal) Begin(ctx context.Context, f Fingerprint) (*Entry, Verdict) {
	if j == nil {
		return nil, Handle
	}
	e := &Entry{journal: j, fingerprint: f, slot: noSlot}
	switch strikes := j.strikes(f); {
	case strikes >= MaxStrikes:
		return nil, Poison
	case strikes > 0:
		if !j.takeTurn(ctx) {
			return nil, Later
		}
		e.suspect = true
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if last := len(j.free) - 1; last >= 0 {
		e.slot = j.free[last]
		j.free = j.free[:last]
		j.write(e.slot, record{fingerprint: f}.append(j.buffer[:0], j.seed))
	}
	return e, Handle
}

// End records that the process has survived the request. Handled reports that the client will
// not send it again: a suspect is then cleared.
func (e *Entry) End(handled bool) {
	if e == nil {
		return
	}
	j := e.journal
	j.mu.Lock()
	defer j.mu.Unlock()
	if e.slot != noSlot {
		j.write(e.slot, empty[:])
		j.free = append(j.free, e.slot)
	}
	if !e.suspect {
		return
	}
	// The suspect may have arrived twice, and been cleared while it waited.
	if place, found := j.places[e.fingerprint]; found && handled {
		j.write(place, empty[:])
		delete(j.suspects, e.fingerprint)
		delete(j.places, e.fingerprint)
	}
	<-j.turn
}

// empty is an unused record.
var empty [recordSize]byte

func (j *Journal) strikes(f Fingerprint) uint32 {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.suspects[f].strikes
}

// takeTurn waits for the suspect's turn, and reports whether it came in time.
func (j *Journal) takeTurn(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, turnTimeout)
	defer cancel()
	select {
	case j.turn <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}

// write writes a record. It keeps the first error for Close: requests are handled even if the
// journal cannot be written. The caller holds the lock.
func (j *Journal) write(place int, record []byte) {
	if j.file == nil {
		return
	}
	if _, err := j.file.WriteAt(record, int64(offset(place))); err != nil && j.failed == nil {
		j.failed = err
	}
}
