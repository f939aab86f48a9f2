// SPDX-License-Identifier: Apache-2.0

package namingprocessor

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/processor"

	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
	"github.com/otelcol-tc/otelcol-tc/internal/datapoints"
	"github.com/otelcol-tc/otelcol-tc/internal/policy"
	"github.com/otelcol-tc/otelcol-tc/tests/soak"
	"github.com/otelcol-tc/otelcol-tc/tests/testfiles"
)

// metricCopiesHost has a pack that copies metrics to a few names: with and without attributes that keep them
// apart, some in other units, and some under the name of a metric.
func metricCopiesHost(t testing.TB) component.Host {
	t.Helper()
	return hostOfPack(t, `
system: engine
owns: {resource: {service.name: [engine]}}
metrics:
  prefixes: {"old:": tc_new_}
  rename: {renamed: tc_renamed}
  also:
    - {match: '^engine.a$', name: canon.apart, set: {kind: a}, attributes: {model: gen_ai.request.model}}
    - {match: '^engine.b$', name: canon.apart, set: {kind: b}, attributes: {model: gen_ai.request.model}}
    - {match: '^engine.[cd]$', name: canon.apart}
    - {match: '^engine.[ab]$', name: canon.shared, unit: ms, convert: s}
    - {match: '^engine.c$', name: canon.shared, unit: s, convert: s}
    - {match: '^engine.d$', name: engine.native, set: {from: d}}
    - {match: '^old:x$', name: tc_new_y}
    - {match: '^(old:y|renamed)$', name: canon.of_renamed, attributes: {model: kind}}
`)
}

// hostOfPack returns a host whose conventions extension has one pack.
func hostOfPack(t testing.TB, pack string) component.Host {
	t.Helper()
	return hostWith(t, "packs: ["+testfiles.Save(t, "pack.yaml", pack)+"]\nexempt: [engine.*, canon.*]")
}

var copied = []string{"engine.a", "engine.b", "engine.c", "engine.d", "engine.native", "old:x", "old:y", "renamed"}

// copies returns random metrics of one service. No two points of one name have equal attributes.
func (r random) copies(timestamp pcommon.Timestamp, temporality pmetric.AggregationTemporality) pmetric.Metrics {
	md := pmetric.NewMetrics()
	rm := md.ResourceMetrics().AppendEmpty()
	rm.Resource().Attributes().PutStr("service.name", "engine")
	for range 1 + r.IntN(2) {
		sm := rm.ScopeMetrics().AppendEmpty()
		sm.Scope().SetName(fmt.Sprintf("scope%d-%d", r.IntN(2), rm.ScopeMetrics().Len()))
		for _, i := range r.Perm(len(copied))[:r.IntN(len(copied))] {
			m := sm.Metrics().AppendEmpty()
			m.SetName(copied[i])
			m.SetUnit([]string{"", "s", "ms"}[r.IntN(3)])
			r.points(sm.Scope().Name(), m, timestamp, temporality)
		}
	}
	return md
}

func (r random) points(scope string, m pmetric.Metric, timestamp pcommon.Timestamp, temporality pmetric.AggregationTemporality) {
	kind := 0
	if r.IntN(5) == 0 {
		kind = 1 + r.IntN(3)
	}
	for p := range 1 + r.IntN(3) {
		var attrs pcommon.Map
		switch value := int64(r.IntN(1000)); kind {
		case 0:
			if p == 0 {
				m.SetEmptySum().SetIsMonotonic(true)
				m.Sum().SetAggregationTemporality(temporality)
			}
			point := m.Sum().DataPoints().AppendEmpty()
			point.SetIntValue(value)
			point.SetTimestamp(timestamp)
			attrs = point.Attributes()
		case 1:
			if p == 0 {
				m.SetEmptyGauge()
			}
			point := m.Gauge().DataPoints().AppendEmpty()
			point.SetIntValue(value)
			point.SetTimestamp(timestamp)
			attrs = point.Attributes()
		case 2:
			if p == 0 {
				m.SetEmptyHistogram().SetAggregationTemporality(temporality)
			}
			point := m.Histogram().DataPoints().AppendEmpty()
			point.SetSum(float64(value))
			point.SetCount(uint64(value))
			point.ExplicitBounds().FromRaw([]float64{500})
			point.BucketCounts().FromRaw([]uint64{uint64(value), 0})
			point.SetTimestamp(timestamp)
			attrs = point.Attributes()
		case 3:
			if p == 0 {
				m.SetEmptyExponentialHistogram().SetAggregationTemporality(temporality)
			}
			point := m.ExponentialHistogram().DataPoints().AppendEmpty()
			point.SetSum(float64(value))
			point.SetCount(uint64(value))
			point.SetTimestamp(timestamp)
			attrs = point.Attributes()
		}
		attrs.PutStr("point", fmt.Sprint(scope, m.Name(), p))
		for _, key := range []string{"model", "kind", "exported_kind", "exported_exported_kind", "gen_ai.request.model", "from"} {
			if r.IntN(3) == 0 {
				attrs.PutStr(key, []string{"a", "b"}[r.IntN(2)])
			}
		}
	}
}

// totals returns the sum of all values of each name, in seconds where they have a unit.
func totals(md pmetric.Metrics, names func(m pmetric.Metric) []string) map[string]float64 {
	all := map[string]float64{}
	eachMetric(md, func(_ string, m pmetric.Metric) {
		total := 0.0
		for _, p := range values(m) {
			total += p.value
		}
		for _, name := range names(m) {
			value := total
			if m.Unit() == "ms" || m.Unit() == "" && name == "canon.shared" && m.Name() != "engine.c" && m.Name() != name {
				value /= 1000
			}
			all[name] += value
		}
	})
	return all
}

func eachMetric(md pmetric.Metrics, do func(scope string, m pmetric.Metric)) {
	for _, rm := range md.ResourceMetrics().All() {
		for _, sm := range rm.ScopeMetrics().All() {
			for _, m := range sm.Metrics().All() {
				do(sm.Scope().Name(), m)
			}
		}
	}
}

// isCopy reports whether a metric is a copy.
func isCopy(m pmetric.Metric) bool {
	_, ok := copyOf(m.Metadata())
	return ok
}

// copyNames returns the names of a metric's copies.
func copyNames(m pmetric.Metric) (names []string) {
	if value, ok := m.Metadata().Get(naming.CopiesKey); ok {
		for _, name := range value.Slice().All() {
			names = append(names, name.Str())
		}
	}
	return names
}

// copiedPoints returns the points that copies have. A metric is copied as a whole, or not at all.
func copiedPoints(t *testing.T, md pmetric.Metrics) map[string]bool {
	made := map[string]bool{}
	eachMetric(md, func(_ string, m pmetric.Metric) {
		if isCopy(m) {
			for attrs := range datapoints.Attributes(m) {
				point, _ := attrs.Get("point")
				made[m.Name()+" of "+point.Str()] = true
			}
		}
	})
	eachMetric(md, func(_ string, m pmetric.Metric) {
		for _, name := range copyNames(m) {
			for attrs := range datapoints.Attributes(m) {
				point, _ := attrs.Get("point")
				require.Equal(t, made[name+" of "+pointOf(m)], made[name+" of "+point.Str()])
			}
		}
	})
	return made
}

// pointOf identifies the first point of a metric.
func pointOf(m pmetric.Metric) string {
	for attrs := range datapoints.Attributes(m) {
		point, _ := attrs.Get("point")
		return point.Str()
	}
	return ""
}

// requireOnePointOfEach checks that no two points have one identity and time.
func requireOnePointOfEach(t *testing.T, md pmetric.Metrics) {
	t.Helper()
	seen := map[string]bool{}
	eachMetric(md, func(scope string, m pmetric.Metric) {
		for attrs, at := range datapoints.Attributes(m) {
			var pairs []string
			for key, value := range attrs.All() {
				pairs = append(pairs, key+"="+value.AsString())
			}
			slices.Sort(pairs)
			identity := fmt.Sprint(scope, strings.ToLower(m.Name()), m.Unit(), kindOf(m), pairs, at)
			require.False(t, seen[identity], identity)
			seen[identity] = true
		}
	})
}

// copiers are a collector, one behind it, and one that audits.
type copiers struct {
	agent, gateway, auditor       processor.Metrics
	atAgent, atGateway, atAuditor *consumertest.MetricsSink
}

func startCopiers(t *testing.T, host component.Host) (c copiers) {
	audit := defaultConfig()
	audit.Mode = policy.Audit
	c.agent, c.atAgent = startMetricsAt(t, host, defaultConfig())
	c.gateway, c.atGateway = startMetricsAt(t, host, defaultConfig())
	c.auditor, c.atAuditor = startMetricsAt(t, host, audit)
	return c
}

// send returns what comes out of the agent. It checks that no two points have one identity, that the gateway copies
// nothing again, and that audit mode changes nothing.
func (c *copiers) send(t *testing.T, md pmetric.Metrics, seed uint64) pmetric.Metrics {
	t.Helper()
	before := pointKind.copy(t, md)
	require.NoError(t, c.auditor.ConsumeMetrics(t.Context(), md))
	require.Equal(t, before, c.atAuditor.AllMetrics()[len(c.atAgent.AllMetrics())])
	require.NoError(t, c.agent.ConsumeMetrics(t.Context(), md))
	once := c.atAgent.AllMetrics()[len(c.atAgent.AllMetrics())-1]
	requireOnePointOfEach(t, once)
	require.NoError(t, c.gateway.ConsumeMetrics(t.Context(), pointKind.copy(t, once)))
	require.Equal(t, once, c.atGateway.AllMetrics()[len(c.atGateway.AllMetrics())-1], "seed %d", seed)
	return once
}

// TestCopiesConserve checks with random metrics that the copies of a name have the sum of what was copied,
// that no two points have one identity, that a second collector copies nothing again, and that audit counts
// the same and changes nothing.
func TestCopiesConserve(t *testing.T) {
	host := metricCopiesHost(t)
	for seed := range uint64(soak.Count(t, "TC_HISTORIES", 400)) {
		r := random{rand.New(rand.NewPCG(seed, 35))}
		temporality := pmetric.AggregationTemporalityCumulative
		if seed%2 == 0 {
			temporality = pmetric.AggregationTemporalityDelta
		}
		c := startCopiers(t, host)
		for batch := range 3 {
			once := c.send(t, r.copies(pcommon.Timestamp(batch+1)*1e9, temporality), seed)
			made := copiedPoints(t, once)
			want := totals(once, func(m pmetric.Metric) []string {
				return slices.DeleteFunc(copyNames(m), func(name string) bool { return !made[name+" of "+pointOf(m)] })
			})
			got := totals(once, func(m pmetric.Metric) []string {
				if isCopy(m) {
					return []string{m.Name()}
				}
				return nil
			})
			require.Len(t, got, len(want), "seed %d", seed)
			for name, total := range want {
				require.InDelta(t, total, got[name], 1e-6, "seed %d: %s", seed, name)
			}
		}
	}
}

// TestCopiesAreCounted checks the counters in both modes.
func TestCopiesAreCounted(t *testing.T) {
	for _, mode := range []string{"enforce", policy.Audit} {
		cfg := defaultConfig()
		cfg.Mode = mode
		md := pmetric.NewMetrics()
		rm := md.ResourceMetrics().AppendEmpty()
		rm.Resource().Attributes().PutStr("service.name", "engine")
		sm := rm.ScopeMetrics().AppendEmpty()
		for _, name := range []string{"engine.a", "engine.d", "engine.native", "renamed"} {
			m := sm.Metrics().AppendEmpty()
			m.SetName(name)
			p := m.SetEmptyGauge().DataPoints().AppendEmpty()
			p.Attributes().PutStr("kind", "x")
		}
		_, shown := consumeMetricsAt(t, metricCopiesHost(t), cfg, md)
		// canon.apart and canon.shared of a; canon.apart of d is a gauge that nothing keeps apart from it, and
		// engine.native is a metric.
		assert.Equal(t, map[string]int64{"engine ": 3}, shown["copies"], mode)
		assert.Equal(t, map[string]int64{"metric_collision engine ": 2, "attribute_collision engine ": 2}, shown["violations"], mode)
	}
}

// TestUnitsOfCopies checks that all copies of a name have one unit. What cannot be converted is not copied.
func TestUnitsOfCopies(t *testing.T) {
	cfg, host := defaultConfig(), hostWith(t, "packs: [vllm]")
	f := func(name, unit string, fill func(pmetric.Metric), copyName, want string) (copied pmetric.Metric) {
		t.Helper()
		md := pmetric.NewMetrics()
		m := md.ResourceMetrics().AppendEmpty().ScopeMetrics().AppendEmpty().Metrics().AppendEmpty()
		m.SetName(name)
		m.SetUnit(unit)
		fill(m)
		out, shown := consumeMetricsAt(t, host, cfg, md)
		found := false
		eachMetric(out[0], func(_ string, m pmetric.Metric) {
			if m.Name() == copyName {
				copied, found = m, true
				assert.Equal(t, want, m.Unit(), "%s in %q", name, unit)
			} else {
				assert.Equal(t, unit, m.Unit(), "the metric itself")
			}
		})
		assert.Equal(t, want != "", found, "%s in %q", name, unit)
		assert.Equal(t, want == "", shown["violations"]["metric_unit vllm "] == 1, "%s in %q: %v", name, unit, shown)
		return copied
	}
	const latency, duration = "vllm:e2e_request_latency_seconds", "gen_ai.server.request.duration"
	histogram := func(m pmetric.Metric) {
		p := m.SetEmptyHistogram().DataPoints().AppendEmpty()
		m.Histogram().SetAggregationTemporality(pmetric.AggregationTemporalityDelta)
		p.SetCount(3)
		p.SetSum(4500)
		p.ExplicitBounds().FromRaw([]float64{500, 2000})
		p.BucketCounts().FromRaw([]uint64{1, 2, 0})
	}
	for unit, scale := range map[string]float64{"": 1, "s": 1, "seconds": 1, "ms": 1e3, "milliseconds": 1e3, "us": 1e6, "ns": 1e9} {
		p := f(latency, unit, histogram, duration, "s").Histogram().DataPoints().At(0)
		assert.InDelta(t, 4500/scale, p.Sum(), 1e-9, unit)
		assert.InDelta(t, 500/scale, p.ExplicitBounds().At(0), 1e-9, unit)
		assert.Equal(t, []uint64{1, 2, 0}, p.BucketCounts().AsRaw())
	}
	for _, unit := range []string{"By", "1", "{token}", "h", "Cel", "fortnights"} {
		f(latency, unit, histogram, duration, "")
	}
	exponential := func(m pmetric.Metric) {
		p := m.SetEmptyExponentialHistogram().DataPoints().AppendEmpty()
		m.ExponentialHistogram().SetAggregationTemporality(pmetric.AggregationTemporalityDelta)
		p.SetCount(1)
		p.SetSum(2)
		p.Positive().BucketCounts().FromRaw([]uint64{1})
	}
	f(latency, "", exponential, duration, "s")
	f(latency, "s", exponential, duration, "s")
	f(latency, "ms", exponential, duration, "")

	gauge := func(m pmetric.Metric) { m.SetEmptyGauge().DataPoints().AppendEmpty().SetIntValue(50) }
	const running, cache = "vllm:num_requests_running", "vllm:kv_cache_usage_perc"
	for _, unit := range []string{"", "1", "{request}", "requests", "{sequence}"} {
		assert.EqualValues(t, 50, f(running, unit, gauge, "tc_inference_requests_running", "{request}").Gauge().DataPoints().At(0).IntValue(), unit)
	}
	f(running, "s", gauge, "tc_inference_requests_running", "")
	f(running, "bytes", gauge, "tc_inference_requests_running", "")
	assert.InDelta(t, 0.5, f(cache, "%", gauge, "tc_inference_kv_cache_usage_ratio", "1").Gauge().DataPoints().At(0).DoubleValue(), 1e-9)
}
