// SPDX-License-Identifier: Apache-2.0

package series

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"testing"

	dto "github.com/prometheus/client_model/go"
	"github.com/stretchr/testify/assert"

	"github.com/otelcol-tc/otelcol-tc/conventions"
)

// Compared is what a target sent and what came out.
type Compared struct {
	Pack           *conventions.Pack
	Sent, Received map[string]Family
}

// CheckSeries checks that each series without its ids is the sum, or the aggregate, of the series that it
// was merged from, and that there is no other.
func (p *Compared) CheckSeries(t *testing.T) {
	t.Helper()
	for _, name := range slices.Sorted(maps.Keys(p.Sent)) {
		merged, ids := map[string][]Sample{}, p.ids(name)
		for _, s := range p.Sent[name].Series {
			key := s.Labels.Key(ids...)
			merged[key] = append(merged[key], s)
		}
		got := p.Received[name]
		if !Same(t, name, merged, got.Series) {
			continue
		}
		for key, from := range merged {
			if p.Sent[name].Kind == dto.MetricType_GAUGE {
				p.CheckGauge(t, name, from, got.Series[key])
			} else {
				checkEqual(t, Total(from), got.Series[key].Value, fmt.Sprint(name, " ", key))
			}
		}
	}
}

// ids returns the keys that the pack calls ids of a metric.
func (p *Compared) ids(metric string) []string {
	var keys []string
	for _, rule := range p.Pack.Attributes {
		if rule.IDOf(metric) {
			keys = append(keys, rule.Key)
		}
	}
	return keys
}

// CheckGauge checks a gauge that was merged from others.
func (p *Compared) CheckGauge(t *testing.T, name string, from []Sample, got Sample) {
	t.Helper()
	var all []float64
	for _, s := range from {
		all = append(all, s.Value[Number])
	}
	total, what := Total(from)[Number], fmt.Sprint(name, " ", got.Labels)
	aggregate := p.Aggregate(name)
	if len(from) > 1 {
		assert.NotEmpty(t, aggregate, "%s was merged, and its pack does not say how", what)
	}
	switch aggregate {
	case conventions.AggregateSum:
		assert.InDelta(t, total, got.Value[Number], 1e-9*max(1, math.Abs(total)), what)
	case conventions.AggregateMean:
		assert.InDelta(t, total/float64(len(all)), got.Value[Number], 1e-9*max(1, math.Abs(total)), what)
	case conventions.AggregateMin:
		assert.Equal(t, slices.Min(all), got.Value[Number], what)
	case conventions.AggregateMax:
		assert.Equal(t, slices.Max(all), got.Value[Number], what)
	default:
		assert.Contains(t, all, got.Value[Number], what)
	}
}

// Aggregate returns how a pack merges a gauge.
func (p *Compared) Aggregate(name string) conventions.GaugeAggregate {
	for _, rule := range p.Pack.Metrics.Gauges {
		if rule.Match.Match(name) {
			return rule.Aggregate
		}
	}
	return ""
}

// Same checks that the series of a name have the same keys.
func Same[A, B any](t *testing.T, name string, want map[string]A, got map[string]B) bool {
	t.Helper()
	lost, other := firstOf(want, got), firstOf(got, want)
	return assert.Empty(t, lost+other, "%s: %d in, %d out; the first that is lost is {%s}, the first that nobody sent {%s}",
		name, len(want), len(got), lost, other)
}

// firstOf returns the first key that only the first of two maps has.
func firstOf[A, B any](a map[string]A, b map[string]B) string {
	for _, key := range slices.Sorted(maps.Keys(a)) {
		if _, ok := b[key]; !ok {
			return key
		}
	}
	return ""
}

// Total adds series up.
func Total(samples []Sample) Value {
	sum := Value{}
	for _, s := range samples {
		sum.Add(s.Value)
	}
	return sum
}

// checkEqual compares values. Sums of floating-point numbers depend on their order.
func checkEqual(t *testing.T, want, got Value, what string) {
	t.Helper()
	assert.Equal(t, slices.Sorted(maps.Keys(want)), slices.Sorted(maps.Keys(got)), what)
	for part, n := range want {
		assert.InDelta(t, n, got[part], 1e-9*max(1, math.Abs(n)), "%s %s", part, what)
	}
}
