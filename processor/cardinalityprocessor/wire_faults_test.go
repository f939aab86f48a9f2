package cardinalityprocessor

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-tc/otelcol-tc/internal/wirefold"
)

// wireRequest is a request of a delta sum of one resource, a point for each id.
func (c *chain) wireRequest(ids []string, value int64) []byte {
	md, m := emptyMetric("s", "m")
	m.SetEmptySum().SetAggregationTemporality(pmetric.AggregationTemporalityDelta)
	m.Sum().SetIsMonotonic(true)
	for _, id := range ids {
		dp := m.Sum().DataPoints().AppendEmpty()
		dp.Attributes().PutStr("kept", "x")
		dp.Attributes().PutStr("id", id)
		dp.SetIntValue(value)
		dp.SetStartTimestamp(pcommon.NewTimestampFromTime(time.Now().Add(-time.Second)))
		dp.SetTimestamp(pcommon.NewTimestampFromTime(time.Now()))
	}
	return encoded(c.t, md)
}

// learn sends what it takes until points are folded on the wire.
func (c *chain) learn(t *testing.T) {
	for range 3 {
		time.Sleep(time.Second)
		require.NoError(t, c.send(c.wireRequest([]string{"1", "2"}, 1)))
	}
	require.EqualValues(t, 2, c.outcomesOf(t)["folded"])
}

// total adds up what came out.
func total64(t *testing.T, requests ...[]byte) (sum int64) {
	for _, request := range requests {
		md, err := (&pmetric.ProtoUnmarshaler{}).UnmarshalMetrics(request)
		require.NoError(t, err)
		for _, p := range receive(md) {
			sum += int64(p.is["value"])
		}
	}
	return sum
}

// A request that is folded and then refused by somebody before the processor counts when
// it is sent again, once.
func TestWireRefusedBefore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newChain(t, nil, true)
		c.learn(t)
		time.Sleep(time.Second)
		request := c.wireRequest([]string{"1", "2", "3"}, 5)
		for range 2 {
			batch, err := c.registry.folder.Fold(request, func([]byte) error { return nil })
			require.NoError(t, err)
			batch.Settle(t.Context(), errRefused)
			batch.Settle(t.Context(), nil) // the first call counts
		}
		require.NoError(t, c.send(request))
		require.EqualValues(t, 15, total64(t, c.got))
		time.Sleep(time.Second)
		require.NoError(t, c.send(c.wireRequest([]string{"1"}, 1)))
		require.EqualValues(t, 1, total64(t, c.got))
	})
}

// So does what cannot be decoded behind what was folded: it goes out with the next points.
func TestWireNotDecoded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newChain(t, nil, true)
		c.learn(t)
		time.Sleep(time.Second)
		_, err := c.registry.folder.Fold(c.wireRequest([]string{"1", "2"}, 5), func([]byte) error { return errRefused })
		require.ErrorIs(t, err, errRefused)
		time.Sleep(time.Second)
		require.NoError(t, c.send(c.wireRequest([]string{"1"}, 1)))
		require.EqualValues(t, 11, total64(t, c.got))
	})
}

// Where another processor changes points on their way nothing is folded.
func TestWireChangedBetween(t *testing.T) {
	f := func(name string, between func(pmetric.Metrics)) {
		t.Helper()
		synctest.Test(t, func(t *testing.T) {
			plain, wired := twins(t, nil)
			plain.between, wired.between = between, between
			for range 2 * maxTries {
				time.Sleep(time.Second)
				same(t, plain, wired, plain.wireRequest([]string{"1", "2"}, 1))
			}
			require.Zero(t, wired.outcomesOf(t)["folded"], name)
			require.Positive(t, wired.outcomesOf(t)["unsure"]+wired.outcomesOf(t)["unknown"])
		})
	}
	each := func(change func(pmetric.NumberDataPoint)) func(pmetric.Metrics) {
		return func(md pmetric.Metrics) {
			for _, dp := range md.ResourceMetrics().At(0).ScopeMetrics().At(0).Metrics().At(0).Sum().DataPoints().All() {
				change(dp)
			}
		}
	}
	f("value", each(func(dp pmetric.NumberDataPoint) { dp.Attributes().PutStr("kept", "y") }))
	f("new attribute", each(func(dp pmetric.NumberDataPoint) { dp.Attributes().PutStr("zone", "a") }))
	f("no attribute", each(func(dp pmetric.NumberDataPoint) { dp.Attributes().Remove("id") }))
	f("measured", each(func(dp pmetric.NumberDataPoint) { dp.SetIntValue(2 * dp.IntValue()) }))
	f("time", each(func(dp pmetric.NumberDataPoint) { dp.SetTimestamp(dp.Timestamp() + 1) }))
	f("resource", func(md pmetric.Metrics) {
		md.ResourceMetrics().At(0).Resource().Attributes().PutStr("k8s.pod.name", "a")
	})
	f("one point less", func(md pmetric.Metrics) {
		points := md.ResourceMetrics().At(0).ScopeMetrics().At(0).Metrics().At(0).Sum().DataPoints()
		first := true
		points.RemoveIf(func(pmetric.NumberDataPoint) bool { remove := first; first = false; return remove })
	})
}

// Points that were folded, and come in another metric after all, are counted, and
// everything is looked at anew.
func TestWireStrays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newChain(t, nil, true)
		c.learn(t)
		c.between = func(md pmetric.Metrics) {
			md.ResourceMetrics().At(0).ScopeMetrics().At(0).Metrics().At(0).SetName("tc_other")
		}
		time.Sleep(time.Second)
		require.NoError(t, c.send(c.wireRequest([]string{"1", "2"}, 5)))
		require.EqualValues(t, 10, total64(t, c.got))
		require.EqualValues(t, 1, c.sumOf(t, "otelcol_cardinality_wire_resets"))
		require.Zero(t, c.p.wire.plans.Size())
	})
}

// Two requests that were put together on their way: what was folded passes, the rest is
// merged.
func TestWirePartlyFolded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newChain(t, nil, true)
		c.learn(t)
		c.between = func(md pmetric.Metrics) {
			points := md.ResourceMetrics().At(0).ScopeMetrics().At(0).Metrics().At(0).Sum().DataPoints()
			dp := points.AppendEmpty()
			dp.Attributes().PutStr("kept", "x")
			dp.Attributes().PutStr("id", "9")
			dp.SetIntValue(100)
			dp.SetTimestamp(points.At(0).Timestamp())
		}
		time.Sleep(time.Second)
		require.NoError(t, c.send(c.wireRequest([]string{"1", "2"}, 5)))
		require.EqualValues(t, 110, total64(t, c.got))
		for _, p := range receive(mustDecode(t, c.got)) {
			require.Equal(t, map[string]any{"kept": "x"}, p.attributes)
		}
	})
}

func mustDecode(t *testing.T, request []byte) pmetric.Metrics {
	md, err := (&pmetric.ProtoUnmarshaler{}).UnmarshalMetrics(request)
	require.NoError(t, err)
	return md
}

// sumOf adds up a counter.
func (c *chain) sumOf(t *testing.T, name string) (sum int64) {
	for _, n := range labelled(t, c.telemetry, name, "") {
		sum += n
	}
	return sum
}

// No bit of the mark comes out, and none that a sender sets does anything.
func TestWireMarks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		plain, wired := twins(t, nil)
		plain.learnAs(t, wired)
		time.Sleep(time.Second)
		md := mustDecode(t, plain.wireRequest([]string{"1", "2"}, 5))
		flags := pmetric.DataPointFlags(markOf(identity{hi: 12345}))
		md.ResourceMetrics().At(0).ScopeMetrics().At(0).Metrics().At(0).Sum().DataPoints().At(0).SetFlags(flags)
		same(t, plain, wired, encoded(t, md))
		require.Zero(t, wired.sumOf(t, "otelcol_cardinality_wire_resets"))
		time.Sleep(time.Second)
		before := wired.outcomesOf(t)["folded"]
		same(t, plain, wired, plain.wireRequest([]string{"1", "2"}, 5))
		require.Equal(t, before+2, wired.outcomesOf(t)["folded"])
	})
}

// learnAs is learn for both chains.
func (c *chain) learnAs(t *testing.T, wired *chain) {
	for range 3 {
		time.Sleep(time.Second)
		same(t, c, wired, c.wireRequest([]string{"1", "2"}, 1))
	}
	require.EqualValues(t, 2, wired.outcomesOf(t)["folded"])
}

// One processor folds what one extension sees, behind one naming processor.
func TestWireOfOnePipeline(t *testing.T) {
	c := newChain(t, nil, true)
	namer := c.p.wire.namer
	require.EqualError(t, c.p.wire.UseNamer(component.MustNewIDWithName("naming", "two"), namer),
		`wire: must be of one pipeline only: another naming processor goes before "cardinality" already (got "naming/two")`)

	p := newTestProcessor(t, func(cfg *Config) { cfg.Wire = &wireID })
	require.EqualError(t, p.openWire(componenttest.NewNopHost()), `wire: must be an extension of the service (got "wire_limits")`)
}

var _ wirefold.Registry = (*registry)(nil)
