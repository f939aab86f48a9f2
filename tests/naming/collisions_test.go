// SPDX-License-Identifier: Apache-2.0

package naming

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/processor"
	"go.opentelemetry.io/collector/processor/processortest"

	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor"
	"github.com/otelcol-tc/otelcol-tc/processor/namingprocessor"
	"github.com/otelcol-tc/otelcol-tc/tests/pipetest"
)

// pipeline returns naming and cardinality with their default settings, in front of a consumer. They repair
// names of nobody too.
func pipeline(t *testing.T, next consumer.Metrics) consumer.Metrics {
	host, err := pipetest.NewHost(t.Context(), []byte("unowned: repair"))
	require.NoError(t, err)
	for _, factory := range []processor.Factory{cardinalityprocessor.NewFactory(), namingprocessor.NewFactory()} {
		p, err := factory.CreateMetrics(t.Context(), processortest.NewNopSettings(factory.Type()), factory.CreateDefaultConfig(), next)
		require.NoError(t, err)
		require.NoError(t, p.Start(t.Context(), host))
		t.Cleanup(func() { require.NoError(t, p.Shutdown(context.Background())) })
		next = p
	}
	return next
}

// backend adds up what arrives, as a backend does for one series of one metric.
type backend struct {
	t     *testing.T
	delta bool
	start pcommon.Timestamp
	time  pcommon.Timestamp
	last  uint64
	total uint64
}

func (b *backend) read(md pmetric.Metrics) {
	for _, rm := range md.ResourceMetrics().All() {
		for _, sm := range rm.ScopeMetrics().All() {
			for _, m := range sm.Metrics().All() {
				require.Equal(b.t, "tc_a_b", m.Name())
				switch m.Type() {
				case pmetric.MetricTypeSum:
					for _, p := range m.Sum().DataPoints().All() {
						b.add(p.Attributes(), p.StartTimestamp(), p.Timestamp(), uint64(p.IntValue()))
					}
				case pmetric.MetricTypeHistogram:
					for _, p := range m.Histogram().DataPoints().All() {
						b.add(p.Attributes(), p.StartTimestamp(), p.Timestamp(), p.Count())
					}
				case pmetric.MetricTypeExponentialHistogram:
					for _, p := range m.ExponentialHistogram().DataPoints().All() {
						b.add(p.Attributes(), p.StartTimestamp(), p.Timestamp(), p.Count())
					}
				}
			}
		}
	}
}

func (b *backend) add(attrs pcommon.Map, start, at pcommon.Timestamp, value uint64) {
	require.Equal(b.t, map[string]any{"route": "/a"}, attrs.AsRaw())
	require.Greater(b.t, at, b.time, "never two points of one identity and time")
	switch {
	case b.delta:
		require.GreaterOrEqual(b.t, start, b.time, "intervals do not overlap")
		b.total += value
	case start == b.start:
		require.GreaterOrEqual(b.t, value, b.last)
		b.total += value - b.last
	default:
		b.total += value
	}
	b.start, b.time, b.last = start, at, value
}

// instrument counts under one original name.
type instrument struct {
	name        string
	start, time pcommon.Timestamp
	value       uint64
}

func (i *instrument) write(m pmetric.Metric, kind pmetric.MetricType, temporality pmetric.AggregationTemporality) {
	m.SetName(i.name)
	set := func(p interface {
		Attributes() pcommon.Map
		SetStartTimestamp(pcommon.Timestamp)
		SetTimestamp(pcommon.Timestamp)
	}) {
		p.Attributes().PutStr("route", "/a")
		p.SetStartTimestamp(i.start)
		p.SetTimestamp(i.time)
	}
	switch kind {
	case pmetric.MetricTypeSum:
		m.SetEmptySum().SetIsMonotonic(true)
		m.Sum().SetAggregationTemporality(temporality)
		p := m.Sum().DataPoints().AppendEmpty()
		p.SetIntValue(int64(i.value))
		set(p)
	case pmetric.MetricTypeHistogram:
		m.SetEmptyHistogram().SetAggregationTemporality(temporality)
		p := m.Histogram().DataPoints().AppendEmpty()
		p.SetCount(i.value)
		p.ExplicitBounds().FromRaw([]float64{1})
		p.BucketCounts().FromRaw([]uint64{i.value, 0})
		set(p)
	default:
		m.SetEmptyExponentialHistogram().SetAggregationTemporality(temporality)
		p := m.ExponentialHistogram().DataPoints().AppendEmpty()
		p.SetCount(i.value)
		p.Positive().BucketCounts().FromRaw([]uint64{i.value})
		set(p)
	}
}

// TestCollisions checks that counters and histograms of three names that become one are counted
// once each, by one collector and by an agent and its gateway. They come in any order, together
// or in requests of their own, from the beginning or later, and restart.
func TestCollisions(t *testing.T) {
	kinds := []pmetric.MetricType{pmetric.MetricTypeSum, pmetric.MetricTypeHistogram, pmetric.MetricTypeExponentialHistogram}
	temporalities := []pmetric.AggregationTemporality{pmetric.AggregationTemporalityCumulative, pmetric.AggregationTemporalityDelta}
	for seed := range uint64(120) {
		kind, temporality := kinds[seed%3], temporalities[seed/3%2]
		t.Run(fmt.Sprint(seed, kind, temporality), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := rand.New(rand.NewPCG(seed, 28))
				var atAgent, atGateway consumertest.MetricsSink
				agent, gateway := pipeline(t, &atAgent), pipeline(t, &atGateway)
				first := &backend{t: t, delta: temporality == pmetric.AggregationTemporalityDelta}
				second := *first
				time.Sleep(time.Second)
				now := func() pcommon.Timestamp { return pcommon.NewTimestampFromTime(time.Now()) }
				all := []*instrument{{name: "a.b"}, {name: "a_b"}, {name: "tc_a_b"}}
				r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
				counted := uint64(0)
				for step := range 20 {
					time.Sleep(10 * time.Second)
					// The first is alone at first. All report at the end, so that nothing is waited for.
					var reported []*instrument
					for n, i := range all {
						if step < 19 && (step < 5*n || r.IntN(3) == 0) {
							continue
						}
						if i.start == 0 || temporality == pmetric.AggregationTemporalityCumulative && r.IntN(8) == 0 {
							i.start, i.value = max(i.time, now()-pcommon.Timestamp(5*time.Second))+1, 0
						} else if first.delta {
							i.start, i.value = i.time, 0
						}
						n := r.Uint64N(100)
						i.time, i.value, counted = now(), i.value+n, counted+n
						reported = append(reported, i)
					}
					// A collection of deltas is one request: only so both intervals are known.
					for len(reported) > 0 {
						n := len(reported)
						if !first.delta {
							n = 1 + r.IntN(n)
						}
						md := pmetric.NewMetrics()
						rm := md.ResourceMetrics().AppendEmpty()
						rm.Resource().Attributes().PutStr("service.name", "shop")
						sm := rm.ScopeMetrics().AppendEmpty()
						for _, i := range reported[:n] {
							i.write(sm.Metrics().AppendEmpty(), kind, temporality)
						}
						require.NoError(t, agent.ConsumeMetrics(t.Context(), md))
						reported = slices.Delete(reported, 0, n)
					}
					for _, md := range atAgent.AllMetrics() {
						first.read(md)
						require.NoError(t, gateway.ConsumeMetrics(t.Context(), md))
					}
					atAgent.Reset()
					for _, md := range atGateway.AllMetrics() {
						second.read(md)
					}
					atGateway.Reset()
				}
				require.Equal(t, counted, first.total)
				require.Equal(t, counted, second.total)
			})
		})
	}
}
