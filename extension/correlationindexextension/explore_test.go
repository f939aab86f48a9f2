// SPDX-License-Identifier: Apache-2.0

package correlationindexextension

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/extension/extensiontest"

	"github.com/otelcol-tc/otelcol-tc/extension/correlationindexextension/internal/metadata"
	"github.com/otelcol-tc/otelcol-tc/internal/disk"
	"github.com/otelcol-tc/otelcol-tc/tests/explore"
	"github.com/otelcol-tc/otelcol-tc/tests/indextest"
)

// TestExplore kills indexes between any two calls of the system, on a disk with faults. What a sender was told is
// accepted survives, unless the disk failed to take it.
func TestExplore(t *testing.T) {
	explore.Run(t, 200, nil, func(t *testing.T, s *explore.Schedule) {
		const keys = 6
		w := &killing{Schedule: s, rng: s.Rand("disk")}
		w.dies, w.fails = w.rng.IntN(2)*20, w.rng.IntN(2)*100
		files, random := explore.NewDisk(), s.Rand("requests")
		may := [][]string{make([]string, keys)} // what the next index may have
		for i := range may[0] {
			may[0][i] = "| 1"
		}
		torn := false // something was lost: a later start may find more than the one before
		for range 3 + random.IntN(6) {
			w.process = files.Process()
			w.process.Decide, w.faults = w.decide, false
			e, err := NewFactory().Create(t.Context(), extensiontest.NewNopSettings(metadata.Type), with(func(cfg *Config) {
				cfg.MaxMemoryMib, cfg.StateDirectory = 1, "/state"
			}))
			require.NoError(t, err)
			if err := e.Start(disk.With(t.Context(), w.process), componenttest.NewNopHost()); err != nil {
				s.Violation("a start fails: %v", err)
				return
			}
			l := &life{memory: e.(*memory), t: t}
			now := l.all(keys)
			s.Trace(fmt.Sprintf("start with %q", now))
			if !torn && !slices.ContainsFunc(may, func(one []string) bool { return slices.Equal(one, now) }) {
				s.Violation("the index has %q, and may have %q", now, may)
			}
			may = [][]string{now}
			w.faults = true
			for range 1 + random.IntN(40) {
				time.Sleep(time.Duration(random.IntN(100)) * time.Millisecond)
				indextest.One(t, l, indextest.RandomRequest(random, keys))
				if now = l.all(keys); w.process.Dead() {
					may = append(may, now) // its sender was told nothing
					break
				}
				if l.journal.failed {
					may = append(may, now)
				} else {
					may = [][]string{now}
				}
			}
			w.faults = false
			if random.IntN(2) == 0 && !w.process.Dead() {
				s.Count("stop")
				require.NoError(t, l.Shutdown(t.Context()))
			}
			w.process.Kill()
			_ = l.Shutdown(t.Context())
			switch random.IntN(6) {
			case 0:
				s.Count("power failure")
				files.PowerFailure(w.rng)
				torn = true
			case 1:
				for _, path := range files.Paths(".segment") {
					s.Event("damage", path)
					if data := files.File(path).Data; len(data) > 0 {
						data[random.IntN(len(data))] ^= byte(1 + random.IntN(255))
					}
				}
				torn = true
			}
		}
	})
}

// killing decides about the calls of an index.
type killing struct {
	*explore.Schedule
	rng         *rand.Rand
	process     *explore.Process
	faults      bool
	dies, fails int // of 1000 calls
}

func (k *killing) decide(c explore.Call) explore.Fate {
	switch n := k.rng.IntN(1000); {
	case !k.faults:
	case n < k.dies:
		k.Event("kill", fmt.Sprint(c))
		return explore.Fate{Dies: true, Bytes: k.rng.IntN(c.Bytes + 1)}
	case n < k.dies+k.fails:
		k.Event("failed "+c.Name, c.Path)
		return explore.Fate{Err: syscall.EIO, Bytes: k.rng.IntN(c.Bytes + 1)}
	}
	return explore.Fate{}
}
