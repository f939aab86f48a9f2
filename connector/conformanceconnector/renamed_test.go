package conformanceconnector

import (
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
)

// What was renamed on the way is explained by the rule that it was renamed by, and
// names that differed in an id only are one finding.
func TestRenamedIsExplained(t *testing.T) {
	s, tr := newTestState(t, nil), newTree(newRand(1))
	for i := range 5 {
		original := "load model " + strconv.Itoa(1_000_000+i)
		d := s.namer.Span(naming.Context{Service: "shop"}, "", original)
		require.True(t, d.Changed())
		tr.span("shop", d.Name, internal, none, 0, 1).Attributes().PutStr(naming.OriginalNameKey, original)
	}
	s.traces(tr.td)
	md := pmetric.NewMetrics()
	gauge(md, "shop", "tc_shop_orders", "k", "v")
	md.ResourceMetrics().At(0).ScopeMetrics().At(0).Metrics().At(0).Metadata().PutStr(naming.OriginalNameKey, "shop.orders")
	gauge(md, "shop", "wrong.name", "k", "v")
	md.ResourceMetrics().At(1).ScopeMetrics().At(0).Metrics().At(0).Metadata().PutStr(naming.OriginalNameKey, "wrong_name")
	s.metrics(md)

	r := s.now()
	svc := r.service(t, "shop")
	for _, score := range svc.Scores {
		assert.Equal(t, map[string]int64{"traces": 5, "metrics": 1}[score.Signal], score.Renamed, score.Signal)
	}
	by := map[string]Finding{}
	for _, f := range r.Findings {
		if f.Rule == ruleRenamed.id {
			by[f.Signal] = f
		}
	}
	require.Len(t, by, 2)
	assert.Equal(t, "metric_general", by["metrics"].Naming)
	assert.Equal(t, "shop.orders", by["metrics"].Original)
	assert.Equal(t, "tc_shop_orders", by["metrics"].Suggestion)
	assert.Equal(t, naming.MetricGeneral.Reason(), by["metrics"].Reason)
	assert.EqualValues(t, 5, by["traces"].Total)
	assert.Equal(t, "load model 1000000", by["traces"].Original)
	assert.Equal(t, "span_text", by["traces"].Naming)
}

// History is that of the last reports.
func TestHistory(t *testing.T) {
	s := newTestState(t, nil)
	var want []int
	for i := range historyLength + 5 {
		md := pmetric.NewMetrics()
		gauge(md, "a", "tc_x", "k", strconv.Itoa(i))
		s.metrics(md)
		want = append(want, i+1)
		got := s.report(time.Now(), true).Metrics[0].History
		assert.Equal(t, want[max(0, len(want)-historyLength):], got)
	}
}
