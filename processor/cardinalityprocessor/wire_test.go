package cardinalityprocessor

import (
	"cmp"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-tc/otelcol-tc/cmd/tcgen/scenario"
	"github.com/otelcol-tc/otelcol-tc/conventions"
)

// wireSettings are settings under which the way over the wire has to change nothing.
var wireSettings = []func(*Config){
	nil,
	func(cfg *Config) { cfg.Limit = 1 },
	func(cfg *Config) { cfg.Limit, cfg.OnOverflow = 2, overflowDrop },
	func(cfg *Config) { cfg.ServiceLimit = 3 },
	func(cfg *Config) { cfg.AttributeLimits = map[string]int{"kept": 1} },
	func(cfg *Config) { cfg.AttributeLimits, cfg.Limit = map[string]int{"id": 1}, 1 },
	func(cfg *Config) { cfg.Overrides = gaugesBecome(conventions.AggregateMin) },
	func(cfg *Config) { cfg.Overrides = gaugesBecome(conventions.AggregateMax) },
	func(cfg *Config) { cfg.Overrides = gaugesBecome(conventions.AggregateMean) },
	func(cfg *Config) { cfg.Overrides, cfg.Limit = gaugesBecome(conventions.AggregateSum), 1 },
	func(cfg *Config) { cfg.Overrides = []OverridesItem{{Metric: "*", KeepAttributes: []string{}}} },
	func(cfg *Config) { cfg.Packs, cfg.DropAttributes = nil, []string{"id", "kept"} },
	func(cfg *Config) { cfg.DropAttributes = nil },
}

func gaugesBecome(how conventions.GaugeAggregate) []OverridesItem {
	return []OverridesItem{{Metric: "*", Gauge: string(how)}}
}

// odder makes some points of a request such as are rare.
func odder(r *rand.Rand, md pmetric.Metrics) {
	for _, rm := range md.ResourceMetrics().All() {
		for _, sm := range rm.ScopeMetrics().All() {
			for _, m := range sm.Metrics().All() {
				var points pmetric.NumberDataPointSlice
				switch m.Type() {
				case pmetric.MetricTypeGauge:
					points = m.Gauge().DataPoints()
				case pmetric.MetricTypeSum:
					points = m.Sum().DataPoints()
				default:
					continue
				}
				for _, dp := range points.All() {
					switch r.IntN(60) {
					case 0:
						dp.SetIntValue(math.MaxInt64)
					case 1:
						dp.SetDoubleValue(math.Inf(1))
					case 2:
						dp.SetTimestamp(0)
					case 3:
						dp.Exemplars().AppendEmpty().SetIntValue(1)
					case 4:
						dp.SetFlags(wireMark | pmetric.DataPointFlags(r.Uint32()))
					case 5:
						dp.Attributes().PutInt("kept", 1)
					case 6:
						dp.Attributes().PutEmptySlice("list").AppendEmpty().SetInt(1)
					case 7:
						dp.Attributes().PutBool(overflowKey, true)
					case 8:
						dp.SetStartTimestamp(0)
					case 9:
						dp.Attributes().PutStr("base_model", "a")
					}
				}
			}
		}
	}
}

// playWire plays a history to both chains, with refusals, and returns what became of its
// points on the wire.
func playWire(t *testing.T, seed uint64, change func(*Config)) map[string]int64 {
	r := rand.New(rand.NewPCG(seed, 9))
	plain, wired := twins(t, change)
	var kinds []*history
	for i := range 1 + r.IntN(3) {
		of := kindsOfMetrics[:5]
		if i == 2 {
			of = kindsOfMetrics
		}
		kinds = append(kinds, newHistory(r, of[r.IntN(len(of))], plain.p.started))
	}
	for range 12 {
		var requests [][]byte
		for _, h := range kinds {
			for _, batch := range h.batches(h.step()) {
				if r.IntN(2) == 0 { // most senders keep what belongs together
					slices.SortStableFunc(batch, func(a, b sample) int {
						return cmp.Or(strings.Compare(a.resource, b.resource), strings.Compare(a.scope, b.scope))
					})
				}
				md := h.request(batch)
				if r.IntN(3) == 0 {
					odder(r, md)
				}
				requests = append(requests, encoded(t, md))
			}
		}
		if r.IntN(2) == 0 { // a request of several metrics is their requests one after the other
			requests = [][]byte{slices.Concat(requests...)}
		}
		for _, request := range requests {
			refuse := r.IntN(6) == 0
			for again := true; again; {
				plain.refuse, wired.refuse = refuse, refuse
				same(t, plain, wired, request)
				again, refuse = refuse, false
			}
		}
		time.Sleep(time.Duration(r.IntN(20)) * time.Second)
	}
	require.Equal(t, counts(t, plain), counts(t, wired))
	return wired.outcomesOf(t)
}

// counts are what a chain shows, but for what it shows as none.
func counts(t *testing.T, c *chain) map[string]int64 {
	all := shown(t, c.telemetry)
	maps.DeleteFunc(all, func(_ string, n int64) bool { return n == 0 })
	return all
}

// The way over the wire changes nothing: not what comes out, not what is known, not what
// is counted.
func TestWireIsTheSame(t *testing.T) {
	all := map[string]int64{}
	for seed := range histories(t) / 30 {
		synctest.Test(t, func(t *testing.T) {
			for what, points := range playWire(t, seed, wireSettings[seed%uint64(len(wireSettings))]) {
				all[what] += points
			}
			if t.Failed() {
				t.Logf("seed %d", seed)
			}
		})
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
	t.Log(all)
	for _, what := range outcomeNames[:wireRequest] {
		require.Positive(t, all[what], what)
	}
}

// So with what the four systems send.
func TestWireIsTheSameForAllSystems(t *testing.T) {
	all := map[string]int64{}
	for _, name := range scenario.Names() {
		synctest.Test(t, func(t *testing.T) {
			plain, wired := twins(t, func(cfg *Config) { cfg.Packs, cfg.DropAttributes = nil, nil })
			generator, err := scenario.New(name, 1, time.Now())
			require.NoError(t, err)
			for i := range 30 {
				time.Sleep(10 * time.Second)
				refuse := i%7 == 3
				request := encoded(t, generator.Next(time.Now()).Metrics)
				for again := true; again; {
					plain.refuse, wired.refuse = refuse, refuse
					same(t, plain, wired, request)
					again, refuse = refuse, false
				}
			}
			require.Equal(t, counts(t, plain), counts(t, wired))
			t.Log(name, wired.outcomesOf(t))
			maps.Copy(all, wired.outcomesOf(t))
		})
	}
	require.Positive(t, all[outcomeNames[wireFolded]])
}
