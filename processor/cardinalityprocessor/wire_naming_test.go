package cardinalityprocessor

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"
)

// owned is a request of one metric of a service that a pack owns: two points that differ
// in what put puts there, and in an id.
func owned(r *rand.Rand, service, namespace, metric string, gauge bool, put func(pcommon.Map, int)) pmetric.Metrics {
	md, m := emptyMetric(service, metric)
	if namespace != "" {
		md.ResourceMetrics().At(0).Resource().Attributes().PutStr("service.namespace", namespace)
	}
	var points pmetric.NumberDataPointSlice
	if gauge {
		points = m.SetEmptyGauge().DataPoints()
	} else {
		m.SetEmptySum().SetAggregationTemporality(pmetric.AggregationTemporalityCumulative)
		m.Sum().SetIsMonotonic(true)
		points = m.Sum().DataPoints()
	}
	for i := range 4 {
		dp := points.AppendEmpty()
		dp.Attributes().PutStr("id", strconv.Itoa(i))
		put(dp.Attributes(), r.IntN(3))
		dp.SetIntValue(int64(i))
		dp.SetTimestamp(pcommon.NewTimestampFromTime(time.Now()))
	}
	return md
}

// Whatever naming does besides giving keys other names, the way over the wire changes
// nothing, and folds what it can.
func TestWireIsTheSameBehindNaming(t *testing.T) {
	f := func(name, service, namespace, metric string, gauge, folded bool, put func(attrs pcommon.Map, n int)) {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := rand.New(rand.NewPCG(1, 1))
				plain, wired := twins(t, nil)
				for range 10 {
					time.Sleep(time.Second)
					same(t, plain, wired, encoded(t, owned(r, service, namespace, metric, gauge, put)))
				}
				require.Equal(t, folded, wired.outcomesOf(t)["folded"] > 0, wired.outcomesOf(t))
			})
		})
	}
	text := func(key string, values ...string) func(pcommon.Map, int) {
		return func(attrs pcommon.Map, n int) { attrs.PutStr(key, values[n]) }
	}
	// Keys.
	f("renamed", "tuft", "", "tuft.futures", true, true, text("base_model", "a", "b", "c"))
	f("brought to form", "s", "", "m", false, true, text("tc.sourceType", "a", "b", "c"))
	f("taken", "tuft", "", "tuft.futures", true, false, func(attrs pcommon.Map, n int) {
		attrs.PutStr("base_model", "a")
		attrs.PutStr("tc.base_model", strconv.Itoa(n))
	})
	f("sensitive", "s", "", "m", true, false, text("password", "a", "b", "c"))
	f("unnameable", "s", "", "m", true, false, text("tc.::", "a", "b", "c"))
	// Values.
	f("allowed", "store-daemon", "tensorcast", "x", true, true, text("tc.location", "gpu", "cpu", "tape"))
	f("numbers as texts", "fastdeploy", "", "fastdeploy:batch_size", true, true, text("tp_rank", "1", "2", "many"))
	f("too long", "s", "", "m", true, true, text("kept", "a", "b", strings.Repeat("x", 5000)))
	f("of other types", "tuft", "", "tuft.futures", true, true, func(attrs pcommon.Map, n int) {
		switch n {
		case 0:
			attrs.PutStr("tuft.lora_rank", "16")
		case 1:
			attrs.PutInt("tuft.lora_rank", 16)
		default:
			attrs.PutDouble("tuft.lora_rank", 16)
		}
	})
	none := func(pcommon.Map, int) {}
	// Metrics.
	f("a gauge that is a counter", "store-daemon", "tensorcast", "tc_pinned_budget_exhausted_total", true, false, none)
	f("converted", "store-daemon", "tensorcast", "tensorcast_memory_tier_rehydrate_p99_ns", true, false, none)
	f("an unknown name", "s", "", "http.server.requests", false, true, none)
	f("exempt", "s", "", "build_info", true, false, none)
}

// A metric that comes late and has a better claim to a name takes it from another at
// once, on both ways.
func TestWireBetterClaim(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(1, 1))
		plain, wired := twins(t, nil)
		none := func(pcommon.Map, int) {}
		for i := range 12 {
			time.Sleep(time.Second)
			md := owned(r, "s", "", "queue.depth", true, none)
			if i >= 6 { // of one scope, in one request
				counter := owned(r, "s", "", "tc_queue_depth", false, none)
				counter.ResourceMetrics().At(0).ScopeMetrics().At(0).Metrics().MoveAndAppendTo(md.ResourceMetrics().At(0).ScopeMetrics().At(0).Metrics())
			}
			same(t, plain, wired, encoded(t, md))
		}
		require.Zero(t, wired.sumOf(t, "otelcol_cardinality_wire_resets"))
		require.Greater(t, wired.outcomesOf(t)["folded"], int64(24))
	})
}
