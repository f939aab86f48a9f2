// SPDX-License-Identifier: Apache-2.0

// Package poison finds requests that end the process, and keeps them in files.
//
// A journal records which requests are being handled, in a file that survives the process. If the process
// dies, the next one finds these requests there, and each gets a strike. Requests with a strike are suspects.
// They are handled one at a time, so that requests that were only in flight at the same time pass and are
// cleared. A request with MaxStrikes strikes is poison, and is not handled any more.
//
// The journal is written without fsync, so it survives the death of the process only: if the machine dies, no
// request gets a strike. A damaged file can add suspects that nobody sends, or forget some.
package poison

import (
	"bytes"
	"cmp"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/zeebo/xxh3"
	"go.opentelemetry.io/collector/component"

	"github.com/otelcol-tc/otelcol-tc/internal/statefile"
)

const (
	// MaxStrikes is how often the process may die while it handles a request.
	MaxStrikes = 3
	// forgetAfter exceeds the 24 hours for which clients repeat the same request.
	forgetAfter = 48 * time.Hour
	// turnTimeout bounds how long a suspect waits for another one.
	turnTimeout = time.Second
	// slots bounds the requests in flight that are recorded, maxSuspects those with strikes.
	slots, maxSuspects = 1024, 1024
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

// Fingerprint identifies a request by its bytes. Zero is none.
type Fingerprint [16]byte

func (f Fingerprint) String() string { return hex.EncodeToString(f[:]) }

// state is what the journal remembers in the file journal.
type state struct {
	Seed     uint64             // of all hashes; random, so that clients cannot cause collisions
	Boot     string             // of the machine, or "" if unknown
	Version  string             // of the collector
	Suspects map[string]suspect // by fingerprint
}

type suspect struct {
	Strikes int
	Last    time.Time
}

// Journal is safe for concurrent use. The verdict of a nil Journal is always Handle.
type Journal struct {
	directory *statefile.Directory
	path      string
	seed      uint64
	turn      chan struct{} // holds one value while a suspect is in flight

	mu       sync.Mutex
	inFlight *os.File        // the fingerprint of each slot; nil after Close; guarded by mu
	failed   error           // the first write error; guarded by mu
	free     []int64         // slots; guarded by mu
	state    state           // guarded by mu
	wanted   map[string]bool // poison that is not set aside yet; guarded by mu
}

// Open opens the journal in a directory, and creates it if necessary. It returns how many requests were in
// flight when the process that last wrote it died. Only one process can have it open.
func Open(directory, version string, telemetry component.TelemetrySettings) (j *Journal, died int, err error) {
	return open(directory, version, bootID(), time.Now(), telemetry)
}

func open(path, version, boot string, now time.Time, telemetry component.TelemetrySettings) (j *Journal, died int, err error) {
	directory, err := statefile.Open(statefile.Settings{Path: path, Telemetry: telemetry})
	if err != nil {
		return nil, 0, err
	}
	j = &Journal{directory: directory, path: path, turn: make(chan struct{}, 1), wanted: map[string]bool{}}
	inFlight, err := j.load()
	if err != nil {
		return nil, 0, errors.Join(err, j.Close())
	}
	died = j.state.judge(inFlight, version, boot, now)
	j.seed = j.state.Seed
	for fingerprint, s := range j.state.Suspects {
		if s.Strikes >= MaxStrikes && !isSetAside(path, fingerprint) {
			j.wanted[fingerprint] = true
		}
	}
	for slot := range int64(slots) {
		j.free = append(j.free, slots-1-slot)
	}
	if err := errors.Join(j.clear(), j.save()); err != nil {
		return nil, 0, errors.Join(err, j.Close())
	}
	return j, died, nil
}

// load reads both files.
func (j *Journal) load() (inFlight []Fingerprint, err error) {
	stored, err := j.directory.Read("journal")
	if err != nil && !errors.Is(err, statefile.ErrDamaged) {
		return nil, err
	}
	if json.Unmarshal(stored, &j.state) != nil { // a new one, or damaged
		j.state = state{Seed: rand.Uint64()}
	}
	if j.inFlight, err = os.OpenFile(filepath.Join(j.path, "in-flight"), os.O_RDWR|os.O_CREATE, 0o600); err != nil {
		return nil, err
	}
	written, err := io.ReadAll(io.LimitReader(j.inFlight, slots*int64(len(Fingerprint{}))))
	for chunk := range slices.Chunk(written, len(Fingerprint{})) {
		if len(chunk) == len(Fingerprint{}) && !bytes.Equal(chunk, empty[:]) {
			inFlight = append(inFlight, Fingerprint(chunk))
		}
	}
	return inFlight, err
}

// judge adds strikes, and returns how many requests were in flight. A new version of the collector starts
// without suspects, because it may handle them.
func (s *state) judge(inFlight []Fingerprint, version, boot string, now time.Time) (died int) {
	before := *s
	*s = state{Seed: before.Seed, Boot: boot, Version: version, Suspects: map[string]suspect{}}
	if before.Version != version {
		return 0
	}
	for fingerprint, known := range before.Suspects {
		if now.Sub(known.Last) < forgetAfter {
			s.Suspects[fingerprint] = known
		}
	}
	if before.Boot == boot {
		died = len(inFlight)
		struck := map[Fingerprint]bool{}
		for _, f := range inFlight {
			if !struck[f] { // the same request may have been in flight twice
				struck[f] = true
				s.Suspects[f.String()] = suspect{min(s.Suspects[f.String()].Strikes, MaxStrikes) + 1, now}
			}
		}
	}
	s.forget()
	return died
}

// forget keeps the suspects with the most strikes.
func (s *state) forget() {
	if len(s.Suspects) <= maxSuspects {
		return
	}
	kept := slices.SortedFunc(maps.Keys(s.Suspects), func(a, b string) int {
		x, y := s.Suspects[a], s.Suspects[b]
		return cmp.Or(cmp.Compare(y.Strikes, x.Strikes), y.Last.Compare(x.Last))
	})
	for _, fingerprint := range kept[maxSuspects:] {
		delete(s.Suspects, fingerprint)
	}
}

// save stores the suspects. The caller holds the lock.
func (j *Journal) save() error {
	text, err := json.Marshal(j.state)
	if err != nil {
		return err
	}
	return j.directory.Write("journal", text)
}

// clear records that nothing is in flight.
func (j *Journal) clear() error {
	_, err := j.inFlight.WriteAt(make([]byte, slots*len(empty)), 0)
	return err
}

// Close records that nothing is in flight, and closes the files. It returns the first write error.
func (j *Journal) Close() error {
	if j == nil {
		return nil
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	var err error
	if j.inFlight != nil {
		err = errors.Join(j.failed, j.clear(), j.inFlight.Close())
		j.inFlight = nil
	}
	if j.directory != nil {
		err = errors.Join(err, j.directory.Close())
		j.directory = nil
	}
	return err
}

// Hash returns an empty hash for a request.
func (j *Journal) Hash() *Hash { return &Hash{xxh3.NewSeed(j.seed)} }

// Hash is the hash of a request's bytes.
type Hash struct{ hasher *xxh3.Hasher }

// Add adds the next bytes.
func (h *Hash) Add(chunk []byte) { _, _ = h.hasher.Write(chunk) }

// Fingerprint returns the fingerprint of all added bytes.
func (h *Hash) Fingerprint() Fingerprint { return h.hasher.Sum128().Bytes() }

// Entry is a request that is being handled.
type Entry struct {
	journal     *Journal
	fingerprint Fingerprint
	slot        int64 // noSlot if the request is not in the file
	suspect     bool
}

// noSlot is the slot of a request for which the file has no room.
const noSlot = -1

// Begin records that a request is about to be handled. A suspect waits for its turn. If the verdict is Handle,
// the caller must call End on the entry. Otherwise the entry is nil.
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
		j.write(e.slot, f)
	}
	return e, Handle
}

// End records that the process has survived the request. Handled reports that the client will not send it
// again: a suspect is then cleared.
func (e *Entry) End(handled bool) {
	if e == nil {
		return
	}
	j := e.journal
	j.mu.Lock()
	defer j.mu.Unlock()
	if e.slot != noSlot {
		j.write(e.slot, empty)
		j.free = append(j.free, e.slot)
	}
	if !e.suspect {
		return
	}
	if handled && j.directory != nil {
		delete(j.state.Suspects, e.fingerprint.String())
		j.failed = cmp.Or(j.failed, j.save())
	}
	<-j.turn
}

// empty is in an unused slot.
var empty Fingerprint

func (j *Journal) strikes(f Fingerprint) int {
	j.mu.Lock()
	defer j.mu.Unlock()
	if len(j.state.Suspects) == 0 {
		return 0
	}
	return j.state.Suspects[f.String()].Strikes
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

// write writes a slot. It keeps the first error for Close: requests are handled even if the journal cannot be
// written. The caller holds the lock.
func (j *Journal) write(slot int64, f Fingerprint) {
	if j.inFlight == nil {
		return
	}
	_, err := j.inFlight.WriteAt(f[:], slot*int64(len(f)))
	j.failed = cmp.Or(j.failed, err)
}

// bootID returns the id of the machine's current boot on Linux, else "".
func bootID() string {
	id, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return strings.TrimSpace(string(id))
}
