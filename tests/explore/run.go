// SPDX-License-Identifier: Apache-2.0

package explore

import (
	"fmt"
	"hash"
	"hash/fnv"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/otelcol-tc/otelcol-tc/tests/soak"
)

// Schedule is what one seed decides: every size, fault, answer and pause.
type Schedule struct {
	Seed uint64

	mu     sync.Mutex
	kinds  map[string]int
	traces bool
	lines  []string // the trace
	began  time.Time
	hash   hash.Hash64 // of all events: equal if a seed is played in the same way again
	wrong  []string
}

// Rand returns random numbers of an actor. Each actor has its own, so that what one does changes no other.
func (s *Schedule) Rand(actor string) *rand.Rand {
	h := fnv.New64a()
	_, _ = h.Write([]byte(actor))
	return rand.New(rand.NewPCG(s.Seed, h.Sum64()))
}

// Count counts a fault of some kind.
func (s *Schedule) Count(kind string) { s.Event(kind, "") }

// Event counts a fault, and traces what it concerns.
func (s *Schedule) Event(kind, detail string) {
	s.mu.Lock()
	s.kinds[kind]++
	s.mu.Unlock()
	s.Trace(kind + " " + detail)
}

// Trace notes what happens, for a person who replays the seed.
func (s *Schedule) Trace(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, _ = s.hash.Write([]byte(text))
	if s.traces {
		s.lines = append(s.lines, fmt.Sprintf("%12s  %s", time.Since(s.began), text))
	}
}

// Violation notes that an invariant does not hold.
func (s *Schedule) Violation(format string, arguments ...any) {
	text := fmt.Sprintf(format, arguments...)
	s.Trace("VIOLATION " + text)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.wrong = append(s.wrong, text)
}

// replays is how often SEED is played until it has a violation. One in a hundred goes one of two ways: what a context
// ends, it ends in an order of its own.
const replays = 20

// Run plays schedules one after the other, each in a bubble with a clock of its own, until one has a violation. It
// plays those of known first: seeds that found something once.
//
// SEED plays one seed only, with a trace. SCHEDULES is how many, usual otherwise. With EXPLORE, a folder, Run keeps the
// next seed in a file there, goes on where the Run before has ended, and ends when it has that many.
func Run(t *testing.T, usual int, known []uint64, play func(*testing.T, *Schedule)) {
	r := &runner{t: t, play: play, kinds: map[string]int{}, began: time.Now()}
	defer r.alone()()
	defer r.watch()()
	if text := os.Getenv("SEED"); text != "" {
		seed, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			t.Fatalf("SEED: %v", err)
		}
		for range replays {
			if r.once(seed, true); t.Failed() {
				break
			}
		}
		fmt.Println(strings.Join(r.lines, "\n"))
		return
	}
	for _, seed := range known {
		r.one(seed)
	}
	next, count := uint64(0), uint64(soak.Count(t, "SCHEDULES", usual))
	if folder := os.Getenv("EXPLORE"); folder != "" {
		here, err := os.Getwd()
		if err != nil {
			t.Fatal(err)
		}
		r.file = filepath.Join(folder, filepath.Base(here))
		if text, err := os.ReadFile(r.file); err == nil {
			next, _ = strconv.ParseUint(strings.TrimSpace(string(text)), 10, 64)
		}
		count -= next % count
	}
	for range count {
		if t.Failed() {
			break
		}
		r.one(next)
		next++
		if r.file != "" && next%1000 == 0 {
			r.keep(next)
		}
		if r.file != "" && next%20_000 == 0 {
			r.print()
		}
	}
	if r.file != "" {
		r.keep(next)
	}
	r.print()
}

type runner struct {
	t          *testing.T
	play       func(*testing.T, *Schedule)
	file       string
	current    atomic.Pointer[Schedule]
	began      time.Time
	played     int
	lines      []string // the trace of the last one
	violations int
	kinds      map[string]int
}

// alone makes schedules repeat: one goroutine runs at a time, and the garbage collection comes between two schedules.
func (r *runner) alone() (undo func()) {
	threads, percent := runtime.GOMAXPROCS(1), debug.SetGCPercent(-1)
	return func() {
		runtime.GOMAXPROCS(threads)
		debug.SetGCPercent(percent)
	}
}

// watch ends the process when a schedule takes a minute. It counts the seconds one by one: a process that was stopped,
// or got no processor, has had one of them at most.
func (r *runner) watch() (stop func()) {
	ticks, done := time.NewTicker(time.Second), make(chan struct{})
	go func() {
		for last, seconds := r.current.Load(), 0; ; seconds++ {
			select {
			case <-done:
				return
			case <-ticks.C:
			}
			if now := r.current.Load(); now != last {
				last, seconds = now, 0
			} else if now != nil && seconds >= 60 {
				panic(fmt.Sprintf("SEED=%d hangs", now.Seed))
			}
		}
	}()
	return func() {
		ticks.Stop()
		close(done)
	}
}

// one plays a schedule, and now and then plays it again, to see that a seed decides everything.
func (r *runner) one(seed uint64) {
	first := r.once(seed, false)
	if r.file != "" && seed%100 == 0 {
		r.kinds["(played again)"]++
		if r.once(seed, false) != first {
			r.kinds["(otherwise than before)"]++
		}
	}
}

func (r *runner) once(seed uint64, traces bool) (hash uint64) {
	s := &Schedule{Seed: seed, kinds: map[string]int{}, traces: traces, hash: fnv.New64a()}
	r.current.Store(s)
	played := false
	defer func() {
		if !played {
			fmt.Printf("%s\nSEED=%d ended in a panic\n", strings.Join(s.lines, "\n"), seed)
		}
	}()
	synctest.Test(r.t, func(t *testing.T) {
		s.began = time.Now()
		r.play(t, s)
	})
	played, r.lines = true, s.lines
	for kind, n := range s.kinds {
		r.kinds[kind] += n
	}
	if r.played++; r.played%64 == 0 {
		runtime.GC()
	}
	if len(s.wrong) > 0 {
		r.violations++
		r.t.Errorf("SEED=%d go test -run '^%s$' replays it:\n%s", seed, r.t.Name(), strings.Join(s.wrong[:min(len(s.wrong), 10)], "\n"))
	}
	return s.hash.Sum64()
}

func (r *runner) keep(next uint64) {
	if err := os.WriteFile(r.file, []byte(strconv.FormatUint(next, 10)+"\n"), 0o600); err != nil {
		r.t.Fatal(err)
	}
}

func (r *runner) print() {
	var kinds []string
	for _, kind := range slices.Sorted(maps.Keys(r.kinds)) {
		kinds = append(kinds, fmt.Sprintf("%s %d", kind, r.kinds[kind]))
	}
	text := fmt.Sprintf("%s: %d schedules in %s, %d violations; %s",
		r.t.Name(), r.played, time.Since(r.began).Round(time.Second), r.violations, strings.Join(kinds, ", "))
	if r.file != "" {
		fmt.Println(text) // while it goes on
		return
	}
	r.t.Log(text)
}
