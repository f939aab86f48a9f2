// SPDX-License-Identifier: Apache-2.0

package runtimelogreceiver

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/receiver/runtimelogreceiver/internal/tail"
	"github.com/otelcol-tc/otelcol-tc/tests/soak"
)

// deliveredAtOnce bounds the records of one file that a kill can repeat.
const deliveredAtOnce = tail.MaxLines

// history is a random sequence of writes, rotations, outages, kills and starts.
type history struct {
	*rig
	rng     *rand.Rand
	streams []*stream // those written to now, and then the rotated ones
	files   int
	kills   int
	// A quiet kill comes when no delivery is in progress, so that nothing is repeated.
	quiet bool
}

// stream is what is written to a file until its rotation.
type stream struct {
	file    string
	number  int // of the file's streams
	clock   string
	entries []string // bodies
}

func (s *stream) String() string { return fmt.Sprint(s.file, ".", s.number) }

func (h *history) play(steps int) {
	h.start()
	for range steps {
		i := h.rng.IntN(h.files)
		s := h.streams[i]
		switch n := h.rng.IntN(20); {
		case n < 10:
			h.log(s, 1+h.rng.IntN(250))
		case n < 12:
			h.rename(s.file, s.String())
			h.begin(i)
		case n < 15:
			h.answer(errors.New("the backend is away"))
		case n < 17:
			h.answer(nil)
		case n < 18:
			h.stop()
			h.log(s, 1)
			h.start()
		case n < 19:
			h.kills++
			if h.quiet {
				h.killAtRest()
			} else {
				h.kill()
			}
			h.log(s, 1)
			h.start()
		default:
			time.Sleep(time.Duration(h.rng.IntN(30)) * time.Millisecond)
		}
	}
}

// begin begins a new stream in a rotated file.
func (h *history) begin(i int) {
	s := h.streams[i]
	h.streams = append(h.streams, s)
	h.streams[i] = &stream{file: s.file, number: s.number + 1, clock: fmt.Sprintf("%02d:%02d:00", 10+i, s.number+1)}
	h.log(h.streams[i], 1)
}

// log writes entries in one write: some have several lines, some are written in two halves,
// some are longer than the buffer.
func (h *history) log(s *stream, entries int) {
	var text strings.Builder
	for range entries {
		body := fmt.Sprintf("%s entry %d", s, len(s.entries))
		switch h.rng.IntN(12) {
		case 0:
			body += "\nTraceback (most recent call last):\n  File \"x.py\", line 1\n\nValueError: no"
		case 1:
			body += strings.Repeat(" long", 1+h.rng.IntN(8000))
		}
		s.entries = append(s.entries, body)
		// Files are distinguished by their beginning: as in practice, by the time.
		fmt.Fprintf(&text, "2026-11-21T%s.%09d+00:00 E tid=7 store.cc:12 %s\n", s.clock, len(s.entries), body)
	}
	half := text.Len()
	if h.rng.IntN(3) == 0 {
		half = h.rng.IntN(text.Len())
	}
	h.write(s.file, text.String()[:half])
	if half < text.Len() {
		time.Sleep(time.Duration(h.rng.IntN(10)) * time.Millisecond)
		h.write(s.file, text.String()[half:])
	}
}

// drained ends an outage and waits until everything that was written is delivered.
func (h *history) drained() {
	h.answer(nil)
	want := 0
	for _, s := range h.streams {
		want += len(s.entries)
	}
	assert.Eventually(h.t, func() bool {
		distinct := map[string]bool{}
		for _, body := range h.bodies("") {
			distinct[body] = true
		}
		return len(distinct) >= want
	}, patience, 20*time.Millisecond)
	h.awaitQuiet()
}

// check compares the delivered records with what was written.
func (h *history) check() {
	h.drained()
	for _, s := range h.streams {
		next, repeated := 0, 0
		for _, body := range h.bodies("") {
			if !strings.HasPrefix(body, s.String()+" ") {
				continue
			}
			if next < len(s.entries) && body == s.entries[next] {
				next++
				continue
			}
			require.True(h.t, slices.Contains(s.entries[:next], body), "a record that was not written, or before its turn: %.200q after %d", body, next)
			repeated++
		}
		assert.Equal(h.t, len(s.entries), next, "entries lost of %s", s)
		if h.quiet {
			assert.Zero(h.t, repeated, "entries repeated of %s", s)
		} else {
			assert.LessOrEqual(h.t, repeated, h.kills*deliveredAtOnce, "entries repeated of %s in %d kills", s, h.kills)
		}
	}
}

// Across kills, outages and rotations, each entry is delivered in the order of its file and
// once. If the kill comes between a delivery and its progress, that delivery is repeated.
func TestConservationOverKills(t *testing.T) {
	for _, quiet := range []bool{true, false} {
		for seed := range uint64(soak.Count(t, "TC_LOG_HISTORIES", 6)) {
			t.Run(fmt.Sprint("quiet=", quiet, "/", seed), func(t *testing.T) {
				t.Parallel()
				h := &history{
					rig: newRig(t, func(cfg *Config) {
						cfg.Include[0] += "*"              // what is rotated, too
						cfg.FlushTimeout = 2 * time.Second // longer than any two halves are apart
					}),
					rng:     rand.New(rand.NewPCG(seed, 5)),
					streams: []*stream{{file: "a.log", clock: "10:00:00"}, {file: "b.log", clock: "11:00:00"}},
					files:   2,
					quiet:   quiet,
				}
				for _, s := range h.streams {
					h.log(s, 3)
				}
				h.play(60)
				h.check()
			})
		}
	}
}
