// SPDX-License-Identifier: Apache-2.0

package cardinalityprocessor

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/processor/processortest"
	"go.yaml.in/yaml/v3"

	"github.com/otelcol-tc/otelcol-tc/internal/conformance"
	"github.com/otelcol-tc/otelcol-tc/internal/explorer"
	"github.com/otelcol-tc/otelcol-tc/processor/namingprocessor"
)

// exploded returns a request of a metric whose series are made by the attribute request: values of it, spread over
// the combinations of 3 routes and 4 codes. With cross, each combination has all values.
func exploded(resource string, values int, cross bool) pmetric.Metrics {
	md, m := emptyMetric("shop", "tc_orders")
	md.ResourceMetrics().At(0).Resource().Attributes().PutStr("service.instance.id", resource)
	m.SetEmptySum().SetAggregationTemporality(pmetric.AggregationTemporalityCumulative)
	m.Sum().SetIsMonotonic(true)
	add := func(value, combination int) {
		dp := m.Sum().DataPoints().AppendEmpty()
		dp.Attributes().PutStr("route", "/r"+strconv.Itoa(combination%3))
		dp.Attributes().PutInt("code", int64(200+combination/3))
		dp.Attributes().PutStr("request", fmt.Sprintf("req-%06d", value))
		dp.SetTimestamp(pcommon.NewTimestampFromTime(time.Now()))
		dp.SetIntValue(1)
	}
	for value := range values {
		if !cross {
			add(value, value%12)
			continue
		}
		for combination := range 12 {
			add(value, combination)
		}
	}
	return md
}

// costOf sends requests twice, and returns what the processor knows of the one metric.
func costOf(t *testing.T, p *cardinalityProcessor, requests func() []pmetric.Metrics) explorer.Metric {
	t.Helper()
	for range 2 {
		for _, md := range requests() {
			_, err := p.process(t.Context(), md)
			require.NoError(t, err)
		}
	}
	all := p.explain.Costs()
	require.Len(t, all, 1)
	return all[0]
}

func attributeOf(t *testing.T, m explorer.Metric, key string) conformance.CostAttribute {
	t.Helper()
	for _, a := range m.Attributes {
		if a.Key == key {
			return a
		}
	}
	require.Fail(t, "no attribute", key)
	return conformance.CostAttribute{}
}

// TestPrediction checks that pasting a fix changes the series to within 10 % of what it predicts.
func TestPrediction(t *testing.T) {
	for name, requests := range map[string]func() []pmetric.Metrics{
		"ids": func() []pmetric.Metrics { return []pmetric.Metrics{exploded("a", 5000, false)} },
		"two resources": func() []pmetric.Metrics {
			return []pmetric.Metrics{exploded("a", 3000, false), exploded("b", 3000, false)}
		},
		"cross product":  func() []pmetric.Metrics { return []pmetric.Metrics{exploded("a", 300, true)} },
		"few":            func() []pmetric.Metrics { return []pmetric.Metrics{exploded("a", 60, false)} },
		"skewed":         func() []pmetric.Metrics { return []pmetric.Metrics{skewed()} },
		"within a limit": func() []pmetric.Metrics { return []pmetric.Metrics{exploded("a", 1500, false)} },
	} {
		t.Run(name, func(t *testing.T) {
			before := costOf(t, newTestProcessor(t, nil), requests)
			culprit := attributeOf(t, before, "request")
			if name != "skewed" { // there it is another one
				require.Equal(t, before.Attributes[0], culprit)
			}
			require.NotEmpty(t, culprit.Fixes)
			assert.Empty(t, before.NotFollowed)
			for _, fix := range culprit.Fixes {
				t.Run(fix.Kind, func(t *testing.T) {
					after := costOf(t, pasted(t, fix), requests)
					t.Logf("%d series become %d, predicted %d", before.Out.Series, after.Out.Series, fix.Series)
					assert.InEpsilon(t, after.Out.Series, fix.Series, 0.1)
					assert.LessOrEqual(t, after.Out.Series, before.Out.Series)
					for _, again := range attributeOf(t, after, "request").Fixes {
						assert.NotEqual(t, fix.Kind, again.Kind, "it is offered again")
					}
				})
			}
		})
	}
}

// skewed returns a request of a metric in which one value of the attribute request has most of the series.
func skewed() pmetric.Metrics {
	return of("shop", "tc_orders", 995, func(i int, attrs pcommon.Map) {
		if i < 495 {
			attrs.PutInt("request", int64(i/5))
			attrs.PutInt("path", int64(i%5))
		} else {
			attrs.PutInt("request", 99)
			attrs.PutInt("path", int64(i))
		}
	})
}

// of returns a request of a gauge with a number of points.
func of(service, name string, points int, attributes func(i int, attrs pcommon.Map)) pmetric.Metrics {
	md, m := emptyMetric(service, name)
	m.SetEmptyGauge()
	for i := range points {
		dp := m.Gauge().DataPoints().AppendEmpty()
		dp.SetTimestamp(pcommon.NewTimestampFromTime(time.Now()))
		dp.SetIntValue(1)
		attributes(i, dp.Attributes())
	}
	return md
}

// metricOf processes requests once each, and returns what the processor knows of a metric.
func metricOf(t *testing.T, p *cardinalityProcessor, name string, requests ...pmetric.Metrics) explorer.Metric {
	t.Helper()
	for _, md := range requests {
		_, err := p.process(t.Context(), md)
		require.NoError(t, err)
	}
	for _, m := range p.explain.Costs() {
		if m.Name == name {
			return m
		}
	}
	require.Fail(t, "no metric", name)
	return explorer.Metric{}
}

// TestFirstBatch checks that the first batch of a metric is enough to explain it.
func TestFirstBatch(t *testing.T) {
	for name, change := range map[string]func(*Config){"dropped": nil, "plain": plain} {
		m := metricOf(t, newTestProcessor(t, change), "tc_orders", exploded("a", 3000, false))
		require.NotEmpty(t, m.Attributes, name)
		assert.Equal(t, "request", m.Attributes[0].Key)
		assert.Equal(t, 12, m.Attributes[0].Without)
		assert.NotEmpty(t, m.Attributes[0].Fixes)
		assert.Empty(t, m.NotFollowed)
	}
}

// TestManyResources checks a metric that has few series on each of many resources.
func TestManyResources(t *testing.T) {
	p := newTestProcessor(t, nil)
	var m explorer.Metric
	for range 2 {
		var all []pmetric.Metrics
		for i := range 300 {
			md := of("shop", "tc_requests", 30, func(i int, attrs pcommon.Map) { attrs.PutInt("url", int64(i)) })
			md.ResourceMetrics().At(0).Resource().Attributes().PutStr("service.instance.id", strconv.Itoa(i))
			all = append(all, md)
		}
		m = metricOf(t, p, "tc_requests", all...)
	}
	assert.Equal(t, 9000, m.In.Series)
	assert.Empty(t, m.NotFollowed)
	assert.InEpsilon(t, 300, attributeOf(t, m, "url").Without, 0.1)
	require.Len(t, m.Together, 1)
	assert.Equal(t, []string{"service.instance.id"}, m.Together[0].Keys)
	assert.True(t, m.Together[0].Resource)
	assert.Equal(t, 30, m.Together[0].Without)
	assert.InEpsilon(t, 300, m.Together[0].Values, 0.2)
}

// TestManyAttributes checks a metric whose points have more attributes than can vary, and only the last one does.
func TestManyAttributes(t *testing.T) {
	many := func(constants int) pmetric.Metrics {
		return of("shop", "tc_orders", 3000, func(i int, attrs pcommon.Map) {
			for key := range constants {
				attrs.PutStr(fmt.Sprintf("a%02d", key), "c")
			}
			attrs.PutInt("url", int64(i))
		})
	}
	m := metricOf(t, newTestProcessor(t, nil), "tc_orders", many(20))
	assert.Equal(t, "url", m.Attributes[0].Key)
	assert.Equal(t, 1, m.Attributes[0].Without)
	assert.InEpsilon(t, 3000, m.Attributes[1].Without, 0.1)
	m = metricOf(t, newTestProcessor(t, nil), "tc_orders", many(40))
	assert.Contains(t, m.NotFollowed, "more attributes")
}

// TestAttributeOfFew checks that series without an attribute stay without it: one that only few have is no culprit. It
// comes, or becomes another one, when there are too many series to know them one by one.
func TestAttributeOfFew(t *testing.T) {
	requests := func() pmetric.Metrics {
		return of("shop", "tc_orders", 2000, func(i int, attrs pcommon.Map) {
			attrs.PutInt("request", int64(i))
			attrs.PutBool("late", i > 1000)
			if i >= 1990 {
				attrs.PutStr("error", "yes")
			}
		})
	}
	p := newTestProcessor(t, nil)
	metricOf(t, p, "tc_orders", requests())
	m := metricOf(t, p, "tc_orders", requests())
	assert.Equal(t, "request", m.Attributes[0].Key)
	assert.LessOrEqual(t, m.Attributes[0].Without, 4)
	assert.InEpsilon(t, 2000, attributeOf(t, m, "error").Without, 0.1)
	assert.InEpsilon(t, 2000, attributeOf(t, m, "late").Without, 0.1)
	assert.Empty(t, m.NotFollowed)
}

// TestTogether checks attributes that are copies of each other, and what happens if both are removed.
func TestTogether(t *testing.T) {
	requests := func() pmetric.Metrics {
		return of("shop", "tc_pods", 6000, func(i int, attrs pcommon.Map) {
			attrs.PutStr("namespace", "n"+strconv.Itoa(i%7))
			attrs.PutStr("pod", "p"+strconv.Itoa(i/2))
			attrs.PutStr("uid", "u"+strconv.Itoa(i/2))
			attrs.PutInt("container", int64(i%2))
		})
	}
	p := newTestProcessor(t, nil)
	m := metricOf(t, p, "tc_pods", requests())
	assert.Empty(t, m.Together)
	assert.Contains(t, m.NotFollowed, "which ones do together")
	m = metricOf(t, p, "tc_pods", requests())
	require.Len(t, m.Together, 1)
	assert.ElementsMatch(t, []string{"pod", "uid"}, m.Together[0].Keys)
	assert.Equal(t, 14, m.Together[0].Without)
	assert.Empty(t, m.NotFollowed)
	require.Len(t, m.Together[0].Fixes, 1)
	after := metricOf(t, pasted(t, m.Together[0].Fixes[0]), "tc_pods", requests())
	assert.Equal(t, m.Together[0].Fixes[0].Series, after.Out.Series)
}

// TestLateMetric checks that a metric with many series finds room, though as many metrics as can be followed came
// before.
func TestLateMetric(t *testing.T) {
	p := newTestProcessor(t, nil)
	for i := range 630 {
		_, err := p.process(t.Context(), of("shop", strconv.Itoa(i), 34, func(i int, attrs pcommon.Map) { attrs.PutInt("k", int64(i)) }))
		require.NoError(t, err)
	}
	late := func() pmetric.Metrics {
		return of("late", "tc_boom", 3000, func(i int, attrs pcommon.Map) { attrs.PutInt("url", int64(i)) })
	}
	m := metricOf(t, p, "tc_boom", late())
	require.NotEmpty(t, m.Attributes)
	assert.Equal(t, 1, m.Attributes[0].Without)
	for _, m := range p.explain.Costs() {
		assert.Equal(t, len(m.Attributes) == 0, m.NotFollowed != "", m.Name)
	}
}

// TestNoRoom checks what is said when metrics take all the room for estimates, and that one with far more series gets
// it.
func TestNoRoom(t *testing.T) {
	p := newTestProcessor(t, func(cfg *Config) { plain(cfg); cfg.MemoryLimitMib = 1024 })
	full := func(name string, series int) pmetric.Metrics {
		return of("full", name, series, func(i int, attrs pcommon.Map) {
			for key := range 16 {
				attrs.PutInt(fmt.Sprint("k", key), int64(i))
			}
		})
	}
	for i := range 200 {
		_, err := p.process(t.Context(), full(strconv.Itoa(i), 70))
		require.NoError(t, err)
	}
	m := metricOf(t, p, "late", full("late", 100))
	assert.Contains(t, m.NotFollowed, "no room for estimates")
	for _, a := range m.Attributes {
		assert.True(t, a.Unknown)
		assert.Equal(t, 100, a.Without)
		assert.Empty(t, a.Fixes)
	}
	large := func() pmetric.Metrics {
		return of("late", "large", 3000, func(i int, attrs pcommon.Map) {
			attrs.PutInt("url", int64(i%200))
			attrs.PutInt("user", int64(i/200))
			attrs.PutStr("method", "GET")
		})
	}
	m = metricOf(t, p, "large", large())
	time.Sleep(1100 * time.Millisecond) // streams of this second may come again
	m = metricOf(t, p, "large", large())
	assert.Equal(t, 15, attributeOf(t, m, "url").Without)
	assert.InEpsilon(t, 200, attributeOf(t, m, "user").Without, 0.1)
	assert.InEpsilon(t, 3000, attributeOf(t, m, "method").Without, 0.1)
	assert.Empty(t, m.NotFollowed)
}

// TestValuesAndSeries checks that an attribute has no more values than the metric has series.
func TestValuesAndSeries(t *testing.T) {
	for _, n := range []int{40, 50, 60, 63} {
		m := metricOf(t, newTestProcessor(t, nil), "tc_orders", of("shop", "tc_orders", n, func(i int, attrs pcommon.Map) { attrs.PutInt("url", int64(i)) }))
		assert.LessOrEqual(t, m.Attributes[0].Values, n)
	}
}

// TestSamplesAreProtected checks that samples show no content and nothing that packs call sensitive, also where it is
// exported.
func TestSamplesAreProtected(t *testing.T) {
	pack := t.TempDir() + "/shop.yaml"
	require.NoError(t, os.WriteFile(pack, []byte(`system: shop
owns: {resource: {service.name: [shop]}}
attributes: [{key: secret_thing, sensitive: redact}, {key: old_prompt, rename: gen_ai.prompt}]
`), 0o600))
	p := newTestProcessor(t, func(cfg *Config) { plain(cfg); cfg.Mode = "audit" }, pack)
	m := metricOf(t, p, "tc_orders", of("shop", "tc_orders", 100, func(i int, attrs pcommon.Map) {
		for _, key := range []string{"secret_thing", "old_prompt", "gen_ai.prompt", "password"} {
			attrs.PutStr(key, fmt.Sprint("S3CR3T", i))
		}
		attrs.PutStr("url", fmt.Sprintf("https://me:S3CR3T@shop/%d", i))
		attrs.PutInt("code", int64(i))
	}))
	require.Len(t, m.Attributes, 6)
	for _, a := range m.Attributes {
		assert.NotEmpty(t, a.Samples, a.Key)
		assert.NotContains(t, fmt.Sprint(a.Samples), "S3CR3T", a.Key)
	}
	assert.Equal(t, []string{"0", "1", "2", "3", "4"}, attributeOf(t, m, "code").Samples)
}

// pasted returns a processor with the configuration of a test processor and a fix.
func pasted(t *testing.T, fix conformance.Fix) *cardinalityProcessor {
	t.Helper()
	if fix.Kind == conformance.FixPack {
		file := t.TempDir() + "/shop.yaml"
		require.NoError(t, os.WriteFile(file, []byte(fix.YAML), 0o600))
		return newTestProcessor(t, nil, file)
	}
	var text map[string]any
	require.NoError(t, yaml.Unmarshal([]byte(fix.YAML), &text))
	sub, err := confmap.NewFromStringMap(text).Sub("processors::cardinality")
	require.NoError(t, err)
	return newTestProcessor(t, func(cfg *Config) { require.NoError(t, sub.Unmarshal(cfg)) })
}

// TestCosts checks what is known of a metric with a folded explosion.
func TestCosts(t *testing.T) {
	p := newTestProcessor(t, func(cfg *Config) { cfg.DropAttributes = []string{"code"}; cfg.Limit = 100 })
	m := costOf(t, p, func() []pmetric.Metrics { return []pmetric.Metrics{exploded("a", 1000, false)} })
	assert.Equal(t, "shop", m.Service)
	assert.Equal(t, "tc_orders", m.Name)
	assert.Equal(t, "cardinality", m.Processor.ID)
	assert.Equal(t, 100, m.Limit)
	assert.Equal(t, 1000, m.In.Series)
	assert.Equal(t, 101, m.Out.Series)
	assert.Equal(t, int64(2000), m.In.Points)
	assert.Equal(t, int64(202), m.Out.Points)
	assert.Equal(t, 1000, m.Folded["attribute"]+m.Folded["limit"])
	assert.Equal(t, 900, m.Folded["limit"])

	request, code, route := attributeOf(t, m, "request"), attributeOf(t, m, "code"), attributeOf(t, m, "route")
	assert.Equal(t, 3, request.Without, "the routes")
	assert.InEpsilon(t, 1000, request.Values, 0.25)
	assert.Len(t, request.Samples, 5)
	assert.Equal(t, "req-000000", request.Samples[0])
	assert.Equal(t, "setting", code.Removed)
	assert.Empty(t, code.Fixes)
	assert.Equal(t, []string{"200", "201", "202", "203"}, code.Samples)
	assert.InEpsilon(t, 1000, route.Without, 0.1)
	assert.True(t, route.Exact)
	assert.Empty(t, route.Fixes, "without it there are as many")

	md := exploded("a", 1000, false)
	bytes := float64((&pmetric.ProtoMarshaler{}).MetricsSize(md))
	assert.InEpsilon(t, 2*bytes, m.In.Bytes, 0.1)
	assert.Less(t, m.Out.Bytes, m.In.Bytes/9)
	assert.Zero(t, p.explain.Costs()[0].In.Points, "points are those since the last call")
}

// TestCostsOfPassedPoints checks the metrics whose points stay as they came.
func TestCostsOfPassedPoints(t *testing.T) {
	p := newTestProcessor(t, plain)
	m := costOf(t, p, func() []pmetric.Metrics { return []pmetric.Metrics{exploded("a", 1000, false)} })
	assert.Equal(t, 1000, m.In.Series)
	assert.Equal(t, 1000, m.Out.Series)
	assert.Equal(t, int64(2000), m.In.Points)
	assert.Equal(t, int64(2000), m.Out.Points)
	assert.Equal(t, m.In.Bytes, m.Out.Bytes)
	assert.Empty(t, m.Folded)
	assert.Equal(t, 12, attributeOf(t, m, "request").Without)
}

// TestCostsOfServiceOverflow checks that points which move to the overflow series of their service count once.
func TestCostsOfServiceOverflow(t *testing.T) {
	p := newTestProcessor(t, func(cfg *Config) { plain(cfg); cfg.ServiceLimit = 100 })
	m := costOf(t, p, func() []pmetric.Metrics {
		return []pmetric.Metrics{exploded("a", 1000, false), exploded("b", 1000, false)}
	})
	assert.Equal(t, 2000, m.In.Series)
	assert.Equal(t, 101, m.Out.Series)
	assert.Equal(t, int64(4000), m.In.Points)
	assert.Equal(t, 1900, m.Folded["service_limit"])
	assert.InEpsilon(t, 24, attributeOf(t, m, "request").Without, 0.1)
}

// TestCostsOfOverflowThatCame checks that overflow series which come are known as such.
func TestCostsOfOverflowThatCame(t *testing.T) {
	p := newTestProcessor(t, nil)
	md := exploded("a", 10, false)
	dp := md.ResourceMetrics().At(0).ScopeMetrics().At(0).Metrics().At(0).Sum().DataPoints().AppendEmpty()
	dp.SetTimestamp(pcommon.NewTimestampFromTime(time.Now()))
	dp.SetIntValue(1)
	dp.Attributes().PutBool("otel.metric.overflow", true)
	_, err := p.process(t.Context(), md)
	require.NoError(t, err)
	assert.Equal(t, map[string]int{"overflow": 1}, p.explain.Costs()[0].Folded)
}

// TestNobodyReads checks that nothing is observed without a reader.
func TestNobodyReads(t *testing.T) {
	p := newTestProcessor(t, nil)
	p.policy.Explorer().Release()
	m := costOf(t, p, func() []pmetric.Metrics { return []pmetric.Metrics{exploded("a", 1000, false)} })
	assert.Equal(t, 1000, m.In.Series)
	assert.Zero(t, m.In.Points)
	assert.Empty(t, m.Attributes)
}

// TestWindows checks that a metric is known over the ends of windows, and forgotten when it does not come.
func TestWindows(t *testing.T) {
	p := newTestProcessor(t, func(cfg *Config) { cfg.DropAttributes = nil; cfg.MaxStale = 10 * time.Second })
	requests := func() []pmetric.Metrics { return []pmetric.Metrics{exploded("a", 1000, false)} }
	require.Equal(t, 12, attributeOf(t, costOf(t, p, requests), "request").Without)
	p.store.RotateCosts(time.Now().Add(11 * time.Second))
	assert.Equal(t, 12, attributeOf(t, p.explain.Costs()[0], "request").Without, "of the window before")
	time.Sleep(1100 * time.Millisecond) // the new window begins in another second
	m := costOf(t, p, requests)
	assert.Equal(t, 12, attributeOf(t, m, "request").Without)
	p.store.RotateCosts(time.Now().Add(22 * time.Second))
	assert.Equal(t, 12, attributeOf(t, p.explain.Costs()[0], "request").Without)
	p.store.RotateCosts(time.Now().Add(33 * time.Second))
	assert.Empty(t, p.explain.Costs()[0].Attributes)
	time.Sleep(1100 * time.Millisecond)
	assert.Equal(t, 12, attributeOf(t, costOf(t, p, requests), "request").Without, "it is known again")
}

// TestFixesOfHostileNames checks that what is pasted is what was meant, whatever the names are.
func TestFixesOfHostileNames(t *testing.T) {
	for _, name := range []string{"a: b", "#x", "x\ny", "- {", "${env:HOME}", "$x", "ü", "\u202e", "yes", "'", `"`, "*", "a*", "a::b", "\xff", strings.Repeat("x", 256)} {
		md, m := emptyMetric("shop", name)
		m.SetEmptyGauge()
		for i := range 100 {
			dp := m.Gauge().DataPoints().AppendEmpty()
			dp.SetTimestamp(pcommon.NewTimestampFromTime(time.Now()))
			dp.Attributes().PutInt(name, int64(i))
		}
		p := newTestProcessor(t, func(cfg *Config) {
			cfg.Overrides = []OverridesItem{{Metric: "kube_*", Limit: 7, DropAttributes: []string{"${x}"}}}
		})
		of := costOf(t, p, func() []pmetric.Metrics {
			again := pmetric.NewMetrics()
			md.CopyTo(again)
			return []pmetric.Metrics{again}
		})
		if len(name) == 256 {
			assert.Empty(t, of.Attributes)
			assert.NotEmpty(t, of.NotFollowed)
			continue
		}
		require.Len(t, of.Attributes, 1, name)
		for _, fix := range of.Attributes[0].Fixes {
			if fix.Kind != conformance.FixDrop {
				continue
			}
			var raw map[string]any
			require.NoError(t, yaml.Unmarshal([]byte(fix.YAML), &raw))
			sub, err := confmap.NewFromStringMap(unescaped(raw).(map[string]any)).Sub("processors::cardinality")
			require.NoError(t, err)
			cfg := createDefaultConfig().(*Config)
			require.NoError(t, sub.Unmarshal(cfg))
			assert.Equal(t, []OverridesItem{
				{Metric: name, DropAttributes: []string{name}}, {Metric: "kube_*", Limit: 7, DropAttributes: []string{"${x}"}},
			}, cfg.Overrides)
		}
		if strings.Contains(name, "*") || !utf8.ValidString(name) || strings.Contains(name, "::") {
			assert.Empty(t, of.Attributes[0].Fixes, name)
		}
	}
}

// unescaped replaces the $$ that a collector reads as $.
func unescaped(value any) any {
	switch of := value.(type) {
	case string:
		return strings.ReplaceAll(of, "$$", "$")
	case []any:
		for i := range of {
			of[i] = unescaped(of[i])
		}
	case map[string]any:
		for key := range of {
			of[key] = unescaped(of[key])
		}
	}
	return value
}

// TestMemoryOfExplorer checks that what the explorer knows takes at most 32 MiB, whatever comes.
func TestMemoryOfExplorer(t *testing.T) {
	used := func(explore bool) uint64 {
		p := newTestProcessor(t, func(cfg *Config) { plain(cfg); cfg.MemoryLimitMib = 1024 })
		if !explore {
			p.policy.Explorer().Release()
		}
		before := liveHeap()
		for round := range 3 { // in the second one with what the first estimates led to
			for i := range 500 {
				_, err := p.process(t.Context(), memoryHungry(i))
				require.NoError(t, err)
			}
			if round < 2 {
				p.explain.Costs()
			}
		}
		after := liveHeap()
		runtime.KeepAlive(p)
		return after - min(before, after)
	}
	without, with := used(false), used(true)
	t.Logf("%.1f MiB, and %.1f MiB without the explorer", float64(with)/(1<<20), float64(without)/(1<<20))
	assert.Less(t, int64(with)-int64(without), int64(32<<20))
}

// memoryHungry returns a metric that takes as much memory of the explorer as one can: 70 series of long names and
// values, on 35 resources.
func memoryHungry(i int) pmetric.Metrics {
	random := rand.New(rand.NewPCG(1, uint64(i)))
	md := pmetric.NewMetrics()
	for range 35 {
		rm := md.ResourceMetrics().AppendEmpty()
		rm.Resource().Attributes().PutStr("service.name", "shop")
		for key := range 20 {
			rm.Resource().Attributes().PutStr(fmt.Sprintf("%060d", key), fmt.Sprintf("%x%0200d", random.Uint64(), key))
		}
		m := rm.ScopeMetrics().AppendEmpty().Metrics().AppendEmpty()
		m.SetName(fmt.Sprintf("%d%0200d", i, i))
		m.SetEmptyGauge()
		for range 2 {
			dp := m.Gauge().DataPoints().AppendEmpty()
			dp.SetTimestamp(pcommon.NewTimestampFromTime(time.Now()))
			for key := range 20 {
				dp.Attributes().PutStr(fmt.Sprintf("%0120d", key), fmt.Sprintf("%x%0200d", random.Uint64(), key))
			}
			for key := range 20 {
				dp.Attributes().PutStr(fmt.Sprintf("c%0119d", key), fmt.Sprintf("%0200d", key))
			}
		}
	}
	return md
}

// pointsAWindow is how many points a stream has in a window of 15 minutes, if it is scraped every 15 seconds.
const pointsAWindow = 60

// BenchmarkExplorer measures the share of the explorer in the CPU time of a pipeline that decodes, names, bounds and
// encodes points with ten attributes: for points of known streams, and for the first ones in a window. Rounds with and
// without the explorer alternate, and the fastest quarter of each counts, which other processes disturbed least.
func BenchmarkExplorer(b *testing.B) {
	type side struct {
		p     *cardinalityProcessor
		all   []time.Duration
		round func() time.Duration
	}
	var request []byte
	var sides [2]side
	points := 0
	for i := range sides {
		s := &sides[i]
		s.p = newTestProcessor(b, func(cfg *Config) { cfg.DropAttributes = []string{"job_id"} })
		if i == 1 {
			s.p.policy.Explorer().Claim()
		}
		request = sentRequest(b, 1, 10)
		now := time.Now()
		next, err := consumer.NewMetrics(func(ctx context.Context, md pmetric.Metrics) error {
			now = now.Add(time.Millisecond)
			for _, rm := range md.ResourceMetrics().All() {
				for _, m := range rm.ScopeMetrics().At(0).Metrics().All() {
					for _, dp := range numbersOf(m).All() {
						dp.SetTimestamp(pcommon.NewTimestampFromTime(now))
					}
				}
			}
			points = md.DataPointCount()
			out, err := s.p.process(ctx, md)
			if err == nil {
				_, err = (&pmetric.ProtoMarshaler{}).MarshalMetrics(out)
			}
			return err
		})
		require.NoError(b, err)
		naming := namingprocessor.NewFactory()
		first, err := naming.CreateMetrics(b.Context(), processortest.NewNopSettings(naming.Type()), naming.CreateDefaultConfig(), next)
		require.NoError(b, err)
		require.NoError(b, first.Start(b.Context(), componenttest.NewNopHost()))
		s.round = func() time.Duration {
			began := time.Now()
			md, err := (&pmetric.ProtoUnmarshaler{}).UnmarshalMetrics(request)
			require.NoError(b, err)
			require.NoError(b, first.ConsumeMetrics(context.Background(), md))
			return time.Since(began)
		}
	}
	measure := func() (without, with float64) {
		var fastest [2]float64
		for i := range sides {
			slices.Sort(sides[i].all)
			quarter := sides[i].all[:max(len(sides[i].all)/4, 1)]
			sum := time.Duration(0)
			for _, took := range quarter {
				sum += took
			}
			fastest[i] = float64(sum.Nanoseconds()) / float64(len(quarter)*points)
			sides[i].all = nil
		}
		return fastest[0], fastest[1]
	}
	both := func() {
		for i := range sides {
			sides[i].all = append(sides[i].all, sides[i].round())
		}
	}
	// In the second in which the window began all points count as the first ones.
	for range 5 {
		both()
	}
	measure()
	for range 200 {
		both()
	}
	without, with := measure()
	first := max(with-without, 0)
	time.Sleep(2 * time.Second)
	both()
	measure()
	for b.Loop() {
		both()
	}
	without, with = measure()
	known := max(with-without, 0)
	b.ReportMetric(without, "pipeline-ns/point")
	b.ReportMetric(known, "known-ns/point")
	b.ReportMetric(first, "first-ns/point")
	b.ReportMetric(100*(known+first/pointsAWindow)/without, "share-%")
	b.ReportMetric(0, "ns/op")
}
