// SPDX-License-Identifier: Apache-2.0

package namingprocessor

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-tc/otelcol-tc/internal/attributes"
	"github.com/otelcol-tc/otelcol-tc/internal/datapoints"
	"github.com/otelcol-tc/otelcol-tc/tests/soak"
)

// whereRule is a rule of selectingHost, for a model of what it selects.
type whereRule struct {
	originals string
	name      string
	where     map[string]string // by conformant keys
	set       string            // to
}

// whereRules are in the order of the pack.
var whereRules = []whereRule{
	{"ab", "canon.tokens", map[string]string{"tc.kind": "in"}, "in"},
	{"ab", "canon.tokens", map[string]string{"tc.kind": "out", "from": "a"}, "out"},
	{"a", "canon.tokens", nil, "rest"},
	{"c", "canon.tokens", nil, "in"},
	{"abc", "canon.ratio", map[string]string{"from": "b"}, ""},
	{"abcd", "canon.seconds", map[string]string{"model": "a", "tc.kind": "in"}, ""},
}

// selectingHost has a pack with whereRules.
func selectingHost(t testing.TB) component.Host {
	return hostOfPack(t, `
system: engine
owns: {resource: {service.name: [engine]}}
attributes: [{key: kind, rename: tc.kind}]
metrics:
  also:
    - {match: '^engine.[ab]$', name: canon.tokens, where: {kind: in}, set: {to: in}, attributes: {model: tc.kind}}
    - {match: '^engine.[ab]$', name: canon.tokens, where: {tc.kind: out, from: a}, set: {to: out}}
    - {match: '^engine.a$', name: canon.tokens, set: {to: rest}}
    - {match: '^engine.c$', name: canon.tokens, set: {to: in}}
    - {match: '^engine.[abc]$', name: canon.ratio, where: {from: b}}
    - {match: '^engine.[abcd]$', name: canon.seconds, where: {kind: in, model: a}, unit: ms, convert: s}
`)
}

// selecting returns random metrics of one service and scope. Each point has an attribute of its own.
func (r random) selecting(timestamp pcommon.Timestamp) pmetric.Metrics {
	md := pmetric.NewMetrics()
	rm := md.ResourceMetrics().AppendEmpty()
	rm.Resource().Attributes().PutStr("service.name", "engine")
	sm := rm.ScopeMetrics().AppendEmpty()
	for _, name := range []string{"a", "b", "c", "d"}[r.IntN(3):] {
		m := sm.Metrics().AppendEmpty()
		m.SetName("engine." + name)
		r.points("s", m, timestamp, pmetric.AggregationTemporalityCumulative)
		for attrs := range datapoints.Attributes(m) {
			if r.IntN(2) == 0 {
				attrs.PutStr("kind", []string{"in", "out", "none"}[r.IntN(3)])
			}
			if r.IntN(9) == 0 {
				attrs.PutInt("from", 1)
			}
		}
	}
	return md
}

// pointValue holds the numbers of a point that add up.
type pointValue struct {
	value float64
	rest  string // the type, and what a unit does not change
}

// scaled returns the numbers in another unit, as a text.
func (p pointValue) scaled(scale float64) string { return fmt.Sprintf("%s %g", p.rest, p.value*scale) }

// values returns the numbers of all points.
func values(m pmetric.Metric) (all []pointValue) {
	switch m.Type() {
	case pmetric.MetricTypeGauge:
		for _, p := range m.Gauge().DataPoints().All() {
			all = append(all, pointValue{float64(p.IntValue()) + p.DoubleValue(), "gauge"})
		}
	case pmetric.MetricTypeSum:
		for _, p := range m.Sum().DataPoints().All() {
			all = append(all, pointValue{float64(p.IntValue()) + p.DoubleValue(), "sum"})
		}
	case pmetric.MetricTypeHistogram:
		for _, p := range m.Histogram().DataPoints().All() {
			all = append(all, pointValue{p.Sum(), fmt.Sprint("histogram ", p.Count(), p.BucketCounts().AsRaw())})
		}
	case pmetric.MetricTypeExponentialHistogram:
		for _, p := range m.ExponentialHistogram().DataPoints().All() {
			all = append(all, pointValue{p.Sum(), fmt.Sprint("exponential ", p.Count(), p.Positive().BucketCounts().AsRaw())})
		}
	}
	return all
}

// chosen returns the copies that a model of the rules makes of a metric as it leaves: name and point, and its
// values.
func chosen(m pmetric.Metric) map[string]string {
	want, points := map[string]string{}, values(m)
	original := strings.TrimPrefix(m.Name(), "engine.")
	i := 0
	for attrs := range datapoints.Attributes(m) {
		done := map[string]bool{}
		for _, rule := range whereRules {
			selects := strings.Contains(rule.originals, original) && !done[rule.name]
			for key, text := range rule.where {
				value, ok := attrs.Get(key)
				selects = selects && ok && value.Type() == pcommon.ValueTypeStr && value.Str() == text
			}
			if selects {
				done[rule.name] = true
				want[fmt.Sprint(rule.name, " ", rule.set, " ", attributes.Text(attrs, "point"))] = points[i].scaled(1)
			}
		}
		i++
	}
	return want
}

// TestSelectedCopiesConserve checks with random metrics of all types that the copies have the points that the
// rules select, each once and with all of its values, and none of the attributes that selected them.
func TestSelectedCopiesConserve(t *testing.T) {
	host := selectingHost(t)
	made, histories := 0, soak.Count(t, "TC_HISTORIES", 400)
	for seed := range uint64(histories) {
		r := random{rand.New(rand.NewPCG(seed, 42))}
		c := startCopiers(t, host)
		claims := map[string]bool{} // of metrics to the names of copies, whether or not a point is selected
		for batch := range 2 {
			once := c.send(t, r.selecting(pcommon.Timestamp(batch+1)*1e9), seed)
			want, got := map[string]string{}, map[string]string{}
			eachMetric(once, func(_ string, m pmetric.Metric) {
				if !isCopy(m) {
					maps.Copy(want, chosen(m))
					for _, rule := range whereRules {
						if strings.Contains(rule.originals, strings.TrimPrefix(m.Name(), "engine.")) {
							claims[rule.name+" of "+m.Name()+" "+m.Type().String()] = true
						}
					}
					return
				}
				scale := 1.0
				if m.Name() == "canon.seconds" {
					assert.Equal(t, "s", m.Unit())
					scale = 1000
				}
				points, i := values(m), 0
				require.NotEmpty(t, points, "a copy without points")
				for attrs := range datapoints.Attributes(m) {
					to, point := attributes.Text(attrs, "to"), attributes.Text(attrs, "point")
					key := fmt.Sprint(m.Name(), " ", to, " ", point)
					require.Empty(t, got[key], "seed %d: twice", seed)
					got[key] = points[i].scaled(scale)
					requireWithout(t, m.Name(), to, attrs)
					i++
				}
			})
			for key, value := range got {
				require.Equal(t, want[key], value, "seed %d: %s", seed, key)
				made++
			}
			// No copy has a metric of another kind, a second gauge, and a histogram that cannot be converted.
			for key := range want {
				if name, _, _ := strings.Cut(key, " "); got[key] == "" && name != "canon.seconds" {
					rivals := slices.DeleteFunc(slices.Collect(maps.Keys(claims)), func(claim string) bool { return !strings.HasPrefix(claim, name+" ") })
					require.Greater(t, len(rivals), 1, "seed %d: %s", seed, key)
				}
			}
		}
	}
	assert.Greater(t, made, histories, "the rules copy several points of each history")
}

// requireWithout checks that a point of a copy has no attribute that selected it.
func requireWithout(t *testing.T, name, to string, attrs pcommon.Map) {
	t.Helper()
	selected := slices.ContainsFunc(whereRules, func(rule whereRule) bool {
		if rule.name != name || rule.set != to {
			return false
		}
		for key, text := range rule.where {
			if value, ok := attrs.Get(key); ok && value.AsString() == text {
				return false
			}
		}
		return true
	})
	require.True(t, selected, "%s %s %v", name, to, attrs.AsRaw())
}
