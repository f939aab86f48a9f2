// SPDX-License-Identifier: Apache-2.0

package poison

import (
	"context"
	"encoding/binary"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
)

// life is a sequence of processes with the same journal.
type life struct {
	t         *testing.T
	directory string
	version   string
	boot      string
	now       time.Time
	*Journal
	died int
}

func newLife(t *testing.T) *life {
	l := &life{t: t, directory: t.TempDir(), version: "1", boot: "boot", now: time.Now()}
	l.start()
	return l
}

func (l *life) start() {
	l.t.Helper()
	var err error
	l.Journal, l.died, err = open(l.directory, l.version, l.boot, l.now, componenttest.NewNopTelemetrySettings())
	require.NoError(l.t, err)
	l.t.Cleanup(func() { _ = l.Close() })
}

// die has the effect of SIGKILL: the system closes the file with its content.
func (l *life) die() {
	l.t.Helper()
	require.NoError(l.t, l.inFlight.Close())
	require.NoError(l.t, l.Journal.directory.Close())
	l.start()
}

// begin expects that a request is handled.
func (l *life) begin(name string) *Entry {
	l.t.Helper()
	e, verdict := l.Begin(l.t.Context(), l.of(name))
	require.Equal(l.t, Handle, verdict, name)
	return e
}

// is expects that the request poison is not handled.
func (l *life) is(want Verdict) {
	l.t.Helper()
	ctx, cancel := context.WithCancel(l.t.Context())
	cancel() // do not wait for a turn
	e, verdict := l.Begin(ctx, l.of("poison"))
	require.Equal(l.t, want, verdict)
	require.Nil(l.t, e)
}

func (l *life) of(name string) Fingerprint {
	hash := l.Hash()
	hash.Add([]byte(name)[:1])
	hash.Add([]byte(name)[1:])
	return hash.Fingerprint()
}

func TestPoisonIsFound(t *testing.T) {
	l := newLife(t)
	l.begin("poison")
	l.begin("beside")
	l.begin("before").End(true)
	l.die()
	assert.Equal(t, 2, l.died)

	// Requests that were in flight at the same time pass, and are cleared.
	beside := l.begin("beside")
	l.is(Later)
	beside.End(true)
	l.begin("poison")
	l.begin("beside")
	l.begin("before")
	l.die()
	assert.Equal(t, 3, l.died)
	assert.False(t, l.Wants())

	l.begin("beside").End(true)
	l.begin("before").End(true)
	l.begin("poison")
	l.die()
	l.is(Poison)
	assert.True(t, l.Wants())
	l.begin("beside").End(true)

	// It stays poison for as long as clients may send it.
	require.NoError(t, l.Close())
	l.now = l.now.Add(forgetAfter - time.Minute)
	l.start()
	assert.Zero(t, l.died)
	l.is(Poison)
	require.NoError(t, l.Close())
	l.now = l.now.Add(2 * time.Minute)
	l.start()
	l.begin("poison").End(true)
}

func TestRetriedRequestStaysSuspect(t *testing.T) {
	l := newLife(t)
	for range MaxStrikes {
		l.begin("poison")
		l.die()
		if !l.Wants() {
			l.begin("poison").End(false)
		}
	}
	l.is(Poison)
}

func TestOtherDeathsGiveNoStrike(t *testing.T) {
	f := func(name string, between func(*life)) {
		t.Run(name, func(t *testing.T) {
			l := newLife(t)
			for range 2 * MaxStrikes {
				l.begin("request")
				between(l)
				l.die()
				assert.Zero(t, l.died)
			}
			l.begin("request").End(true)
		})
	}
	f("of the machine", func(l *life) { l.boot += "1" })
	f("of another version", func(l *life) { l.version += "1" })
	f("after a shutdown", func(l *life) { require.NoError(l.t, l.Close()); l.start() })
	f("after a damage", func(l *life) {
		require.NoError(l.t, os.WriteFile(filepath.Join(l.directory, "journal"), make([]byte, 200), 0o600))
	})
}

func TestNewVersionForgetsSuspects(t *testing.T) {
	l := newLife(t)
	for range MaxStrikes {
		l.begin("poison")
		l.die()
	}
	l.version = "2"
	l.die()
	assert.False(t, l.Wants())
	l.begin("poison").End(true)
}

// Two equal requests in flight are one, whatever the order of their ends.
func TestTheSameRequestTwice(t *testing.T) {
	l := newLife(t)
	l.begin("twice")
	l.begin("twice")
	l.die()
	assert.Equal(t, 2, l.died)
	assert.False(t, l.Wants())

	first := l.begin("twice")
	second := make(chan *Entry)
	go func() {
		e, _ := l.Begin(t.Context(), l.of("twice"))
		second <- e
	}()
	first.End(true)
	(<-second).End(true)
	l.begin("another")
	l.die()
	assert.Equal(t, 1, l.died, "nothing else was overwritten")
	l.begin("another").End(true)
}

// Requests for which the file has no room are handled, and the file does not grow.
func TestFull(t *testing.T) {
	l := newLife(t)
	name := func(i int) string { return "request " + string(binary.LittleEndian.AppendUint32(nil, uint32(i))) }
	var last *Entry
	for i := range 2 * slots {
		last = l.begin(name(i))
	}
	last.End(true)
	l.die()
	assert.Equal(t, slots, l.died)
	info, err := os.Stat(filepath.Join(l.directory, "in-flight"))
	require.NoError(t, err)
	assert.EqualValues(t, slots*len(empty), info.Size())

	// The suspects with the most strikes are kept.
	l.begin(name(7))
	for i := range slots - 1 {
		l.begin(name(slots + i))
	}
	l.die()
	assert.Len(t, l.state.Suspects, maxSuspects)
	assert.Equal(t, 2, l.state.Suspects[l.of(name(7)).String()].Strikes)
}

func TestOneProcess(t *testing.T) {
	l := newLife(t)
	_, _, err := Open(l.directory, "1", componenttest.NewNopTelemetrySettings())
	assert.ErrorContains(t, err, "another process")
}

// A journal that cannot be written does not prevent requests from being handled.
func TestCannotBeWritten(t *testing.T) {
	l := newLife(t)
	readOnly, err := os.Open(filepath.Join(l.directory, "in-flight"))
	require.NoError(t, err)
	require.NoError(t, l.inFlight.Close())
	l.inFlight = readOnly
	l.begin("a").End(true)
	assert.Error(t, l.Close())
	assert.NoError(t, l.Close())
	l.begin("b").End(true)
}

// After any concurrent calls nothing is in flight, and only one suspect is in flight at a time.
func TestConcurrent(t *testing.T) {
	l := newLife(t)
	for i := range 10 {
		l.begin(string(rune('a' + i)))
	}
	l.die()
	var suspects sync.Mutex
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() {
			e, verdict := l.Begin(t.Context(), l.of(string(rune('a'+i))))
			if !assert.Equal(t, Handle, verdict) {
				return
			}
			if e.suspect {
				assert.True(t, suspects.TryLock(), "alone")
				suspects.Unlock()
			}
			e.End(i%2 == 0)
		})
	}
	all.Wait()
	assert.Len(t, l.free, slots)
	l.die()
	assert.Zero(t, l.died)
	assert.Len(t, l.state.Suspects, 5)
}

// What is damaged in the file of requests in flight becomes suspects that nobody sends.
func TestDamagedSlots(t *testing.T) {
	l := newLife(t)
	l.begin("poison")
	_, err := l.inFlight.WriteAt([]byte("garbage, and more of it than two slots take"), 16)
	require.NoError(t, err)
	l.die()
	assert.Equal(t, 4, l.died)
	l.begin("poison").End(true)
	l.begin("beside").End(true)
}
