// SPDX-License-Identifier: Apache-2.0

package cardinalityprocessor

import (
	"fmt"
	"runtime"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// cpuTime returns the CPU time of the current thread, which other processes do not affect.
func cpuTime(b *testing.B) int64 {
	const thread = 1 // RUSAGE_THREAD
	var usage syscall.Rusage
	require.NoError(b, syscall.Getrusage(thread, &usage))
	return usage.Utime.Nano() + usage.Stime.Nano()
}

// BenchmarkChurn measures points of ids that come and go, in turn with points of known streams.
// It reports the medians of the CPU time and their ratio.
func BenchmarkChurn(b *testing.B) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	const each = 10_000
	ids := newChurn(1_000_000, each).ids
	for _, mib := range []int{64, 4} {
		b.Run(fmt.Sprint(mib, " MiB"), func(b *testing.B) {
			type side struct {
				churn *churn
				p     *cardinalityProcessor
				spent []float64
			}
			var sides [2]*side
			for i := range sides {
				p := newTestProcessor(b, func(cfg *Config) { cfg.MemoryLimitMib = mib })
				sides[i] = &side{churn: &churn{each: each, at: time.Now(), ids: ids}, p: p}
			}
			ctx := scrapeOf(b.Context(), "a:1")
			round := func() {
				sides[0].churn.looks = idsLive // the same ids again
				if c := sides[1].churn; c.looks*each >= len(ids) {
					c.looks = idsLive
				}
				for _, s := range sides {
					md, n := s.churn.scrape()
					s.p.store.Started = s.p.store.Started.Add(-15 * time.Second) // the clock of epochs
					runtime.GC()
					began := cpuTime(b)
					_, _ = s.p.process(ctx, md)
					s.spent = append(s.spent, float64(cpuTime(b)-began)/float64(n))
				}
			}
			for range 20 {
				round()
			}
			sides[0].spent, sides[1].spent = nil, nil
			for b.Loop() {
				round()
			}
			var medians [2]float64
			for i, s := range sides {
				slices.Sort(s.spent)
				medians[i] = s.spent[len(s.spent)/2]
			}
			b.ReportMetric(medians[0], "known-ns/point")
			b.ReportMetric(medians[1], "churn-ns/point")
			b.ReportMetric(medians[1]/medians[0], "churn/known")
			b.ReportMetric(float64(sides[1].p.store.Memory.Used.Load()>>10), "charged-KiB")
			b.ReportMetric(0, "ns/op")
		})
	}
}
