// SPDX-License-Identifier: Apache-2.0

package cardinalityprocessor

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// gaugeStream is the last point of a stream.
type gaugeStream struct {
	value, time float64
	stale       bool
}

// combined returns what the live streams make together.
func combined(how string, streams map[string]gaugeStream) (value float64, live int) {
	var newest gaugeStream
	for _, s := range streams {
		if s.stale {
			continue
		}
		better := live == 0
		switch how {
		case "min":
			better = better || s.value < newest.value
		case "max":
			better = better || s.value > newest.value
		default:
			better = better || s.time > newest.time
		}
		if better {
			newest = s
		}
		value += s.value
		live++
	}
	switch how {
	case "sum":
		return value, live
	case "mean":
		return value / float64(max(live, 1)), live
	default:
		return newest.value, live
	}
}

// TestGaugeHistories checks with random points that a merged gauge is what its live streams make together, also
// after restarts.
func TestGaugeHistories(t *testing.T) {
	for _, how := range []string{"last", "min", "max", "mean", "sum"} {
		for seed := range uint64(10) {
			random := rand.New(rand.NewPCG(seed, 9))
			rules := func(cfg *Config) { cfg.Overrides = []OverridesItem{{Metric: "*", Gauge: how}} }
			r := newRig(t, rules)
			streams := map[string]gaugeStream{}
			for step := range 60 {
				var points []pt
				changed := false
				for id := range 6 {
					if random.IntN(3) == 0 {
						continue
					}
					p := pt{attrs: fmt.Sprint("id=", id), time: 10 + float64(step) + float64(id)/10, value: float64(random.IntN(16)) / 2}
					last := gaugeStream{value: p.value.(float64), time: p.time}
					if random.IntN(4) == 0 {
						p.value, last.stale = nil, true
					}
					before, known := streams[p.attrs]
					changed = changed || !last.stale || known && !before.stale
					points = append(points, p)
					streams[p.attrs] = last
				}
				got := receive(r.process(r.gauges(points...)))
				if want, live := combined(how, streams); live > 0 && changed {
					require.Len(t, got, 1)
					require.InDelta(t, want, got[0].is["value"], 1e-9, "%s, seed %d, step %d", how, seed, step)
				}
				if random.IntN(10) == 0 {
					restarted := newRig(t, rules)
					copySeries(t, r.p, restarted.p)
					r = restarted
				}
			}
		}
	}
}

// TestGreatValueAmongManySeries checks the same among a thousand series.
func TestGreatValueAmongManySeries(t *testing.T) {
	r := newRig(t, nil)
	var all []pt
	for i := range 1000 {
		all = append(all, pt{fmt.Sprint("id=", i), 1, 10, 0.5})
	}
	r.send(r.updowns(all...))
	r.send(r.updowns(pt{"id=0", 1, 20, 1e17}))
	require.Equal(t, []string{`{} 0..21 500`}, r.send(r.updowns(pt{"id=0", 1, 21, 0.5})))
}
