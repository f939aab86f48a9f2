// SPDX-License-Identifier: Apache-2.0

package cardinalityprocessor

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.yaml.in/yaml/v3"

	"github.com/otelcol-tc/otelcol-tc/internal/conformance"
	"github.com/otelcol-tc/otelcol-tc/tests/testfiles"
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
func costOf(t *testing.T, p *cardinalityProcessor, requests func() []pmetric.Metrics) conformance.Cost {
	t.Helper()
	for range 2 {
		for _, md := range requests() {
			_, err := p.process(t.Context(), md)
			require.NoError(t, err)
		}
	}
	all := p.explain.Costs(time.Second)
	require.Len(t, all, 1)
	return all[0]
}

func attributeOf(t *testing.T, m conformance.Cost, key string) conformance.CostAttribute {
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
	return shopGauge("tc_orders", 995, func(i int, attrs pcommon.Map) {
		if i < 495 {
			attrs.PutInt("request", int64(i/5))
			attrs.PutInt("path", int64(i%5))
		} else {
			attrs.PutInt("request", 99)
			attrs.PutInt("path", int64(i))
		}
	})
}

// shopGauge returns a request of a gauge of the service shop with a number of points.
func shopGauge(name string, points int, attributes func(i int, attrs pcommon.Map)) pmetric.Metrics {
	md, m := emptyMetric("shop", name)
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
func metricOf(t *testing.T, p *cardinalityProcessor, name string, requests ...pmetric.Metrics) conformance.Cost {
	t.Helper()
	for _, md := range requests {
		_, err := p.process(t.Context(), md)
		require.NoError(t, err)
	}
	for _, m := range p.explain.Costs(time.Second) {
		if m.Name == name {
			return m
		}
	}
	require.Fail(t, "no metric", name)
	return conformance.Cost{}
}

// TestManyResources checks a metric that has few series on each of many resources.
func TestManyResources(t *testing.T) {
	p := newTestProcessor(t, nil)
	var m conformance.Cost
	for range 2 {
		var all []pmetric.Metrics
		for i := range 300 {
			md := shopGauge("tc_requests", 30, func(i int, attrs pcommon.Map) { attrs.PutInt("url", int64(i)) })
			md.ResourceMetrics().At(0).Resource().Attributes().PutStr("service.instance.id", strconv.Itoa(i))
			all = append(all, md)
		}
		m = metricOf(t, p, "tc_requests", all...)
	}
	assert.Equal(t, 9000, m.In.Series)
	assert.Empty(t, m.NotFollowed)
	assert.InEpsilon(t, 300, attributeOf(t, m, "url").Without, 0.1)
}

// TestManyAttributes checks a metric whose points have many attributes, and only the last one varies.
func TestManyAttributes(t *testing.T) {
	many := func(constants int) pmetric.Metrics {
		return shopGauge("tc_orders", 3000, func(i int, attrs pcommon.Map) {
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

// TestSamplesAreProtected checks that samples show no text that is more than an identifier, no credential, and nothing
// that packs call sensitive or content, also where it is exported.
func TestSamplesAreProtected(t *testing.T) {
	pack := testfiles.Save(t, "shop.yaml", `system: shop
owns: {resource: {service.name: [shop]}}
attributes: [{key: secret_thing, sensitive: redact}, {key: old_prompt, rename: gen_ai.prompt}, {key: badge, rename: shop.password}]
`)
	p := newTestProcessor(t, func(cfg *Config) { plain(cfg); cfg.Mode = "audit" }, pack)
	m := metricOf(t, p, "tc_orders", shopGauge("tc_orders", 100, func(i int, attrs pcommon.Map) {
		secret := fmt.Sprint("S3CR3T", i)
		for _, key := range []string{"secret_thing", "old_prompt", "badge", "gen_ai.prompt", "password", "api_key"} {
			attrs.PutStr(key, secret)
		}
		attrs.PutStr("url", "https://me:"+secret+"@shop")
		attrs.PutStr("sentence", "a "+secret)
		attrs.PutStr("json", `{"x":"`+secret+`"}`)
		attrs.PutStr("query", "x="+secret)
		attrs.PutStr("long", strings.Repeat(secret, 10))
		attrs.PutEmptySlice("list").AppendEmpty().SetStr(secret)
		attrs.PutEmptyMap("map").PutStr("x", secret)
		attrs.PutEmptyBytes("bytes").FromRaw([]byte(secret))
		attrs.PutStr("route", fmt.Sprint("/orders/", i))
		attrs.PutInt("code", int64(i))
	}))
	require.Len(t, m.Attributes, 16)
	for _, a := range m.Attributes {
		switch a.Key {
		case "route":
			assert.Equal(t, []string{"/orders/0", "/orders/1", "/orders/2", "/orders/3", "/orders/4"}, a.Samples)
		case "code":
			assert.Equal(t, []string{"0", "1", "2", "3", "4"}, a.Samples)
		default:
			assert.Equal(t, []string{"[protected]"}, a.Samples, a.Key)
		}
	}
}

// pasted returns a processor with the configuration of a test processor and a fix.
func pasted(t *testing.T, fix conformance.Fix) *cardinalityProcessor {
	t.Helper()
	if fix.Kind == conformance.FixPack {
		return newTestProcessor(t, nil, testfiles.Save(t, "shop.yaml", fix.YAML))
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
	assert.Equal(t, "cardinality", m.Processor)
	assert.Equal(t, 100, m.Limit)
	assert.Equal(t, 1000, m.In.Series)
	assert.Equal(t, 101, m.Out.Series)
	assert.Equal(t, 2000.0, m.In.Points)
	assert.Equal(t, 202.0, m.Out.Points)
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
	assert.Zero(t, p.explain.Costs(time.Second)[0].In.Points, "points are those since the last call")
}

// TestCostsOfPassedPoints checks the metrics whose points stay as they came.
func TestCostsOfPassedPoints(t *testing.T) {
	p := newTestProcessor(t, plain)
	m := costOf(t, p, func() []pmetric.Metrics { return []pmetric.Metrics{exploded("a", 1000, false)} })
	assert.Equal(t, 1000, m.In.Series)
	assert.Equal(t, 1000, m.Out.Series)
	assert.Equal(t, 2000.0, m.In.Points)
	assert.Equal(t, 2000.0, m.Out.Points)
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
	assert.Equal(t, 4000.0, m.In.Points)
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
	assert.Equal(t, map[string]int{"overflow": 1}, p.explain.Costs(time.Second)[0].Folded)
}

// TestNobodyReads checks that nothing is observed without a reader.
func TestNobodyReads(t *testing.T) {
	p := newTestProcessor(t, nil)
	p.user.Current().policy.Costs().Release()
	m := costOf(t, p, func() []pmetric.Metrics { return []pmetric.Metrics{exploded("a", 1000, false)} })
	assert.Equal(t, 1000, m.In.Series)
	assert.Zero(t, m.In.Points)
	assert.Empty(t, m.Attributes)
}

// TestWindows checks that a metric is known over the ends of windows, and forgotten when it does not come.
func TestWindows(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newTestProcessor(t, func(cfg *Config) { cfg.DropAttributes = nil; cfg.MaxStale = 10 * time.Second })
		requests := func() []pmetric.Metrics { return []pmetric.Metrics{exploded("a", 1000, false)} }
		require.Equal(t, 12, attributeOf(t, costOf(t, p, requests), "request").Without)
		p.store.RotateCosts(time.Now().Add(11 * time.Second))
		assert.Equal(t, 12, attributeOf(t, p.explain.Costs(time.Second)[0], "request").Without, "of the window before")
		time.Sleep(1100 * time.Millisecond) // the new window begins in another second
		m := costOf(t, p, requests)
		assert.Equal(t, 12, attributeOf(t, m, "request").Without)
		p.store.RotateCosts(time.Now().Add(22 * time.Second))
		assert.Equal(t, 12, attributeOf(t, p.explain.Costs(time.Second)[0], "request").Without)
		p.store.RotateCosts(time.Now().Add(33 * time.Second))
		assert.Empty(t, p.explain.Costs(time.Second)[0].Attributes)
		time.Sleep(1100 * time.Millisecond)
		assert.Equal(t, 12, attributeOf(t, costOf(t, p, requests), "request").Without, "it is known again")
	})
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

// plain keeps all attributes, so that nothing is merged.
func plain(cfg *Config) {
	cfg.DropAttributes = nil
	cfg.Limit, cfg.ServiceLimit = 1_000_000, 0
}
