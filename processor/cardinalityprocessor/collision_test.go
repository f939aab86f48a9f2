// SPDX-License-Identifier: Apache-2.0

package cardinalityprocessor

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
)

// TestCollisionHistories checks that everything that the streams of several original names count
// is in their one series, in whatever order and requests they arrive, with resets and restarts.
func TestCollisionHistories(t *testing.T) {
	for _, kind := range []string{"cumulative", "delta", "updown", "histogram"} {
		for seed := range histories(t) / 20 {
			r := &rig{t: t, p: newTestProcessor(t, func(cfg *Config) { cfg.DropAttributes = nil })}
			random := rand.New(rand.NewPCG(seed, 28))
			reads := &reader{kind: kindsOfMetrics[map[string]int{"cumulative": 0, "delta": 1, "updown": 3, "histogram": 5}[kind]]}
			senders := make([]struct {
				attrs       string
				start, last float64
				value       int
			}, 2+random.IntN(2))
			for i := range senders {
				senders[i].start = 1 + random.Float64()
				if i > 0 {
					senders[i].attrs = fmt.Sprint(naming.OriginalNameKey, "=", i)
				}
			}
			counted, alive := 0, false // by all senders; the first has sent
			for step := range 12 {
				now := float64(10 * (step + 1))
				var all []pt
				// The first sender is alone at first, then each sends or not. All send at the end.
				for i := range senders {
					s := &senders[i]
					if step < 11 && (random.IntN(3) == 0 || i > 0 && step < 3) {
						continue
					}
					n := random.IntN(20)
					if kind == "updown" {
						n -= 10
					} else if s.last > 0 && random.IntN(8) == 0 && kind != "delta" {
						s.start, s.value = s.last+0.001, 0 // a restart
					}
					if kind == "delta" {
						s.start, s.value = max(s.start, s.last), 0
					}
					s.value, counted, s.last = s.value+n, counted+n, now
					all = append(all, pt{s.attrs, s.start, now, s.value})
					alive = alive || i == 0
				}
				// Naming puts the first sender's points last in a request.
				for i, j := 0, len(all)-1; i < j; i, j = i+1, j-1 {
					all[i], all[j] = all[j], all[i]
				}
				for len(all) > 0 {
					n := len(all)
					if kind != "delta" && random.IntN(3) == 0 {
						n = 1 + random.IntN(n)
					}
					md := r.collisionRequest(kind, all[:n])
					for _, p := range receive(r.process(md)) {
						require.Empty(t, p.attributes, "%s, seed %d", kind, seed)
						if reads.kind.monotonic {
							require.True(t, reads.read(p), "%s, seed %d: not after the last point", kind, seed)
						} else {
							reads.total = p.is
						}
					}
					all = all[n:]
				}
				if random.IntN(10) == 0 {
					after := newTestProcessor(t, func(cfg *Config) { cfg.DropAttributes = nil })
					copySeries(t, r.p, after)
					r.p = after
				}
			}
			require.True(t, alive)
			key := "value"
			if kind == "histogram" {
				key = "count"
			}
			require.Equal(t, float64(counted), reads.total[key], "%s, seed %d", kind, seed)
		}
	}
}

// collisionRequest returns a request of a metric named m. Histograms have only counts.
func (r *rig) collisionRequest(kind string, points []pt) pmetric.Metrics {
	switch kind {
	case "delta":
		return r.deltas(points...)
	case "updown":
		return r.updowns(points...)
	case "cumulative":
		return r.counters(points...)
	}
	var all []hist
	for _, p := range points {
		all = append(all, hist{p, nil, make([]float64, p.value.(int))})
	}
	return r.histograms(pmetric.AggregationTemporalityCumulative, all...)
}
