package namingprocessor

import (
	"encoding/json"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"
)

// rivals are metrics that compete for few names: of every kind, with units that
// convert and units that do not.
func (r random) rivals() pmetric.Metrics {
	md := pmetric.NewMetrics()
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
			point := pmetric.NewNumberDataPoint()
			point.SetIntValue(r.Int64N(100))
			r.attributes(point.Attributes())
			switch r.IntN(4) {
			case 0:
				point.CopyTo(m.SetEmptyGauge().DataPoints().AppendEmpty())
			case 1:
				m.SetEmptySum().SetIsMonotonic(true)
				m.Sum().SetAggregationTemporality(pmetric.AggregationTemporality(1 + r.IntN(2)))
				point.CopyTo(m.Sum().DataPoints().AppendEmpty())
			case 2:
				m.SetEmptyHistogram().SetAggregationTemporality(pmetric.AggregationTemporalityDelta)
				h := m.Histogram().DataPoints().AppendEmpty()
				h.ExplicitBounds().FromRaw([]float64{1, 1000})
				h.SetSum(float64(r.IntN(5000)))
			case 3:
				m.SetEmptyExponentialHistogram().DataPoints().AppendEmpty().SetCount(r.Uint64N(9))
			}
		}
	}
	return md
}

// shuffled is the same telemetry with its metrics, resources and attributes in
// another order.
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

// shufflePoints gives the attributes of each number point another order.
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

// shuffleAttributes copies a map in another order, or as it is where a key is
// there twice: which of the two counts is decided by their order.
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

// points writes metrics as sorted lines of JSON, one data point a line, so that
// only their order is lost.
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

// pointLines writes a single metric, one data point a line.
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

// sortAttributes sorts a point's attributes by key; equal keys keep their order.
func sortAttributes(point any) {
	attributes, _ := point.(map[string]any)["attributes"].([]any)
	slices.SortStableFunc(attributes, func(a, b any) int {
		keyOf := func(attribute any) string {
			key, _ := attribute.(map[string]any)["key"].(string) // not there when empty
			return key
		}
		return strings.Compare(keyOf(a), keyOf(b))
	})
}

// TestOrderDoesNotMatter: whatever the order of metrics, resources and attributes,
// the same comes out, and no point is lost or doubled.
func TestOrderDoesNotMatter(t *testing.T) {
	for seed := range uint64(500) {
		r := random{rand.New(rand.NewPCG(seed, 3))}
		in := r.rivals()
		other := r.shuffled(in)
		n := in.DataPointCount()

		first, counted := consumeMetrics(t, defaultConfig(), in)
		second, countedToo := consumeMetrics(t, defaultConfig(), other)
		want, got := points(t, first...), points(t, second...)
		require.Equal(t, want, got, "seed %d", seed)
		require.Len(t, got, n, "seed %d", seed)
		// How many merges it takes does not depend on the order, nor does any count.
		require.Equal(t, counted, countedToo, "seed %d", seed)
		require.Subset(t, slices.Collect(maps.Keys(counted)), []string{"items"}, "seed %d", seed)
	}
}

// TestOrderOfBatchesDoesNotMatter: once all rivals are known, each batch alone
// gets the outcome it gets in any order.
func TestOrderOfBatchesDoesNotMatter(t *testing.T) {
	for seed := range uint64(200) {
		r := random{rand.New(rand.NewPCG(seed, 4))}
		batches := []pmetric.Metrics{r.rivals(), r.rivals(), r.rivals()}
		outcome := func(order []int) []string {
			p, sink := startMetrics(t, defaultConfig())
			for range 2 { // the second time everything is known
				sink.Reset()
				for _, i := range order {
					batch := pmetric.NewMetrics()
					batches[i].CopyTo(batch)
					require.NoError(t, p.ConsumeMetrics(t.Context(), batch))
				}
			}
			return points(t, sink.AllMetrics()...)
		}
		assert.Equal(t, outcome([]int{0, 1, 2}), outcome(r.Perm(3)), "seed %d", seed)
	}
}
