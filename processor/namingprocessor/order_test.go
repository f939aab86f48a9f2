// SPDX-License-Identifier: Apache-2.0

package namingprocessor

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
	"github.com/otelcol-tc/otelcol-tc/internal/attributes"
	"github.com/otelcol-tc/otelcol-tc/internal/datapoints"
	"github.com/otelcol-tc/otelcol-tc/tests/soak"
)

// temporalities are those of OTLP, and a number that is none of them.
var temporalities = []pmetric.AggregationTemporality{
	pmetric.AggregationTemporalityUnspecified, pmetric.AggregationTemporalityDelta, pmetric.AggregationTemporalityCumulative, 99,
}

// rivals returns metrics that compete for a few names: of every kind, also of those that OTLP does not have, with
// convertible and other units. The time of a point is its number.
func (r random) rivals() pmetric.Metrics {
	md, number := pmetric.NewMetrics(), pcommon.Timestamp(0)
	for range 1 + r.IntN(3) {
		rm := md.ResourceMetrics().AppendEmpty()
		rm.Resource().Attributes().PutStr("service.name", []string{"a", "tuft"}[r.IntN(2)])
		sm := rm.ScopeMetrics().AppendEmpty()
		sm.Scope().SetName([]string{"s", "t"}[r.IntN(2)])
		for range r.IntN(7) {
			m := sm.Metrics().AppendEmpty()
			m.SetName([]string{"tc.wait", "tc_wait", "tc-wait", "tcWait", "tc_wait_total", "tc_wait_count", "http.wait"}[r.IntN(7)])
			m.SetUnit([]string{"", "s", "ms", "By"}[r.IntN(4)])
			m.SetDescription([]string{"", "a", "longer"}[r.IntN(3)])
			temporality := temporalities[r.IntN(4)]
			if r.IntN(2) == 0 {
				temporality = pmetric.AggregationTemporalityCumulative
			}
			point := pmetric.NewNumberDataPoint()
			number++
			point.SetTimestamp(number)
			switch r.IntN(4) {
			case 0: // no value
			case 1:
				point.SetDoubleValue(r.Float64())
			default:
				point.SetIntValue(r.Int64N(100))
			}
			r.attributes(point.Attributes())
			switch r.IntN(8) {
			case 0: // no data
			case 1:
				m.SetEmptySummary().DataPoints().AppendEmpty().SetTimestamp(number)
			case 2, 3:
				point.CopyTo(m.SetEmptyGauge().DataPoints().AppendEmpty())
			case 4, 5:
				m.SetEmptySum().SetIsMonotonic(r.IntN(4) > 0)
				m.Sum().SetAggregationTemporality(temporality)
				if r.IntN(9) > 0 {
					point.CopyTo(m.Sum().DataPoints().AppendEmpty())
				}
			case 6:
				m.SetEmptyHistogram().SetAggregationTemporality(temporality)
				h := m.Histogram().DataPoints().AppendEmpty()
				h.SetTimestamp(number)
				h.ExplicitBounds().FromRaw([]float64{1, 1000})
				h.SetSum(float64(r.IntN(5000)))
			case 7:
				m.SetEmptyExponentialHistogram().SetAggregationTemporality(temporality)
				p := m.ExponentialHistogram().DataPoints().AppendEmpty()
				p.SetTimestamp(number)
				p.SetCount(r.Uint64N(9))
			}
		}
	}
	return md
}

// placesOf returns where each point is: its service, scope, time, and the kind of its metric.
func placesOf(all ...pmetric.Metrics) (places []string) {
	for _, md := range all {
		for _, rm := range md.ResourceMetrics().All() {
			for _, sm := range rm.ScopeMetrics().All() {
				for _, m := range sm.Metrics().All() {
					kind := m.Type().String()
					switch m.Type() {
					case pmetric.MetricTypeSum:
						kind += fmt.Sprint(m.Sum().IsMonotonic(), int(m.Sum().AggregationTemporality()))
					case pmetric.MetricTypeHistogram:
						kind += fmt.Sprint(int(m.Histogram().AggregationTemporality()))
					case pmetric.MetricTypeExponentialHistogram:
						kind += fmt.Sprint(int(m.ExponentialHistogram().AggregationTemporality()))
					}
					for _, at := range datapoints.Attributes(m) {
						places = append(places, fmt.Sprint(attributes.Text(rm.Resource().Attributes(), "service.name"), sm.Scope().Name(), int(at), kind))
					}
				}
			}
		}
	}
	slices.Sort(places)
	return places
}

// shuffled returns the same telemetry with its metrics, resources and attributes in random order.
func (r random) shuffled(md pmetric.Metrics) pmetric.Metrics {
	out := pmetric.NewMetrics()
	for _, i := range r.Perm(md.ResourceMetrics().Len()) {
		from, to := md.ResourceMetrics().At(i), out.ResourceMetrics().AppendEmpty()
		from.Resource().CopyTo(to.Resource())
		for _, sm := range from.ScopeMetrics().All() {
			scope := to.ScopeMetrics().AppendEmpty()
			sm.Scope().CopyTo(scope.Scope())
			for _, j := range r.Perm(sm.Metrics().Len()) {
				m := scope.Metrics().AppendEmpty()
				sm.Metrics().At(j).CopyTo(m)
				r.shufflePoints(m)
			}
		}
	}
	return out
}

// shufflePoints shuffles the attributes of each number point.
func (r random) shufflePoints(m pmetric.Metric) {
	points := pmetric.NewNumberDataPointSlice()
	switch m.Type() {
	case pmetric.MetricTypeGauge:
		points = m.Gauge().DataPoints()
	case pmetric.MetricTypeSum:
		points = m.Sum().DataPoints()
	}
	for _, p := range points.All() {
		before := pcommon.NewMap()
		p.Attributes().MoveTo(before)
		r.shuffleAttributes(before, p.Attributes())
	}
}

// shuffleAttributes copies a map in random order. It keeps the order of a map with a duplicate key,
// because the order decides which value counts.
func (r random) shuffleAttributes(from, to pcommon.Map) {
	keys := slices.Collect(func(yield func(string) bool) {
		for key := range from.All() {
			if !yield(key) {
				return
			}
		}
	})
	if slices.Sort(keys); len(slices.Compact(slices.Clone(keys))) < len(keys) {
		from.CopyTo(to)
		return
	}
	r.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
	for _, key := range keys {
		value, _ := from.Get(key)
		value.CopyTo(to.PutEmpty(key))
	}
}

// points returns metrics as sorted lines of JSON, one data point a line. Only the order is lost.
func points(t *testing.T, all ...pmetric.Metrics) []string {
	t.Helper()
	var lines []string
	for _, md := range all {
		for _, rm := range md.ResourceMetrics().All() {
			for _, sm := range rm.ScopeMetrics().All() {
				for _, m := range sm.Metrics().All() {
					one := pmetric.NewMetrics()
					r := one.ResourceMetrics().AppendEmpty()
					rm.Resource().CopyTo(r.Resource())
					s := r.ScopeMetrics().AppendEmpty()
					sm.Scope().CopyTo(s.Scope())
					m.CopyTo(s.Metrics().AppendEmpty())
					lines = append(lines, pointLines(t, one)...)
				}
			}
		}
	}
	slices.Sort(lines)
	return lines
}

// summedPoints returns the same as points, without the attribute that keeps the points of several original
// names apart until they are added up. Which name needs none depends on the order of batches.
func summedPoints(t *testing.T, all ...pmetric.Metrics) []string {
	t.Helper()
	for _, md := range all {
		for _, rm := range md.ResourceMetrics().All() {
			for _, sm := range rm.ScopeMetrics().All() {
				for _, m := range sm.Metrics().All() {
					for attrs := range datapoints.Attributes(m) {
						attrs.Remove(naming.OriginalNameKey)
					}
				}
			}
		}
	}
	return points(t, all...)
}

// pointLines returns one metric as lines, one data point a line.
func pointLines(t *testing.T, one pmetric.Metrics) []string {
	t.Helper()
	text, err := (&pmetric.JSONMarshaler{}).MarshalMetrics(one)
	require.NoError(t, err)
	var document map[string]any
	require.NoError(t, json.Unmarshal(text, &document))
	resource := document["resourceMetrics"].([]any)[0].(map[string]any)
	scope := resource["scopeMetrics"].([]any)[0].(map[string]any)
	metric := scope["metrics"].([]any)[0].(map[string]any)
	var lines []string
	for _, data := range metric {
		data, ok := data.(map[string]any)
		if !ok {
			continue
		}
		list, _ := data["dataPoints"].([]any)
		for _, point := range list {
			sortAttributes(point)
			data["dataPoints"] = point
			line, err := json.Marshal([]any{resource["resource"], scope["scope"], metric})
			require.NoError(t, err)
			lines = append(lines, string(line))
		}
	}
	return lines
}

// sortAttributes sorts a point's attributes by key. Equal keys keep their order.
func sortAttributes(point any) {
	attributes, _ := point.(map[string]any)["attributes"].([]any)
	slices.SortStableFunc(attributes, func(a, b any) int {
		keyOf := func(attribute any) string {
			key, _ := attribute.(map[string]any)["key"].(string) // missing if the key is empty
			return key
		}
		return strings.Compare(keyOf(a), keyOf(b))
	})
}

// TestOrderDoesNotMatter checks that the order of metrics, resources and attributes does not change the
// result, and that no point is lost, duplicated, or merged into a metric of another kind or scope.
func TestOrderDoesNotMatter(t *testing.T) {
	for seed := range uint64(soak.Count(t, "TC_HISTORIES", 500)) {
		r := random{rand.New(rand.NewPCG(seed, 3))}
		in := r.rivals()
		other := r.shuffled(in)
		before := placesOf(in)

		first, counted := consumeMetrics(t, defaultConfig(), in)
		second, countedToo := consumeMetrics(t, defaultConfig(), other)
		want, got := points(t, first...), points(t, second...)
		require.Equal(t, want, got, "seed %d", seed)
		require.Equal(t, before, placesOf(first...), "seed %d", seed)
		// The number of merges and all other counts do not depend on the order.
		require.Equal(t, counted, countedToo, "seed %d", seed)
		require.Subset(t, slices.Collect(maps.Keys(counted)), []string{"items"}, "seed %d", seed)
	}
}

// TestOrderOfBatchesDoesNotMatter checks that each batch has the same result in any order, once all
// competing names are known.
func TestOrderOfBatchesDoesNotMatter(t *testing.T) {
	for seed := range uint64(soak.Count(t, "TC_HISTORIES", 200)) {
		r := random{rand.New(rand.NewPCG(seed, 4))}
		batches := []pmetric.Metrics{r.rivals(), r.rivals(), r.rivals()}
		outcome := func(order []int) []string {
			p, sink := startMetrics(t, defaultConfig())
			for range 2 { // in the second iteration all names are known
				sink.Reset()
				for _, i := range order {
					batch := pmetric.NewMetrics()
					batches[i].CopyTo(batch)
					require.NoError(t, p.ConsumeMetrics(t.Context(), batch))
				}
			}
			return summedPoints(t, sink.AllMetrics()...)
		}
		assert.Equal(t, outcome([]int{0, 1, 2}), outcome(r.Perm(3)), "seed %d", seed)
	}
}

// TestConcurrentBatches checks that concurrent batches with competing names lose and duplicate no point.
// Once all names are known, each batch has the same result as from one goroutine.
func TestConcurrentBatches(t *testing.T) {
	p, sink := startMetrics(t, defaultConfig())
	var wg sync.WaitGroup
	sent := make([]int, 8)
	for g := range sent {
		wg.Go(func() {
			r := random{rand.New(rand.NewPCG(uint64(g), 5))}
			for range 100 {
				md := r.rivals()
				sent[g] += md.DataPointCount()
				assert.NoError(t, p.ConsumeMetrics(t.Context(), md))
			}
		})
	}
	wg.Wait()
	total := 0
	for _, n := range sent {
		total += n
	}
	assert.Equal(t, total, sink.DataPointCount())

	alone, aloneSink := startMetrics(t, defaultConfig())
	for g := range sent {
		r := random{rand.New(rand.NewPCG(uint64(g), 5))}
		for range 100 {
			assert.NoError(t, alone.ConsumeMetrics(t.Context(), r.rivals()))
		}
	}
	sink.Reset()
	aloneSink.Reset()
	for seed := range uint64(50) {
		r := random{rand.New(rand.NewPCG(seed, 5))}
		again := random{rand.New(rand.NewPCG(seed, 5))}
		assert.NoError(t, p.ConsumeMetrics(t.Context(), r.rivals()))
		assert.NoError(t, alone.ConsumeMetrics(t.Context(), again.rivals()))
	}
	assert.Equal(t, summedPoints(t, aloneSink.AllMetrics()...), summedPoints(t, sink.AllMetrics()...))
}
