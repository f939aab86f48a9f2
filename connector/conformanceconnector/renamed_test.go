// SPDX-License-Identifier: Apache-2.0

package conformanceconnector

import (
	"context"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-tc/otelcol-tc/connector/conformanceconnector/internal/report"
	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
	"github.com/otelcol-tc/otelcol-tc/internal/conformance"
)

// TestRenamedIsExplained checks that a finding names the rule that renamed an item, and that names that
// differ only in an id are one finding.
func TestRenamedIsExplained(t *testing.T) {
	s, tr := newTestState(t, nil), newTree(newRand(1))
	for i := range 5 {
		original := "load model " + strconv.Itoa(1_000_000+i)
		d := s.verdicts.Namer.Span(naming.Context{Service: "shop"}, naming.Facts{}, original)
		require.True(t, d.Changed())
		tr.span("shop", d.Name, internal, none, 0, 1).Attributes().PutStr(naming.OriginalNameKey, original)
	}
	s.judgeTraces(context.Background(), tr.td)
	md := pmetric.NewMetrics()
	gauge(md, "shop", "tc_shop_orders", "k", "v")
	md.ResourceMetrics().At(0).ScopeMetrics().At(0).Metrics().At(0).Metadata().PutStr(naming.OriginalNameKey, "shop.orders")
	gauge(md, "shop", "wrong.name", "k", "v")
	md.ResourceMetrics().At(1).ScopeMetrics().At(0).Metrics().At(0).Metadata().PutStr(naming.OriginalNameKey, "wrong_name")
	s.judgeMetrics(context.Background(), md)

	r := s.now()
	svc := serviceOf(t, r, "shop")
	for _, score := range svc.Scores {
		assert.Equal(t, map[string]int64{"traces": 5, "metrics": 1}[score.Signal], score.Renamed, score.Signal)
	}
	by := map[string]conformance.Finding{}
	for _, f := range r.Findings {
		if f.Rule == report.RuleRenamed.ID {
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

// TestRenamedOfAFullTable checks that a full table counts renamed names that it has separately, and all
// others together.
func TestRenamedOfAFullTable(t *testing.T) {
	s := newTestState(t, func(c *Config) { c.MaxFindings = 2 })
	send := func(name, original string) {
		tr := newTree(newRand(1))
		tr.span("a", name, ptrace.SpanKindInternal, none, 0, 1).Attributes().PutStr("tc.original_name", original)
		s.judgeTraces(context.Background(), tr.td)
	}
	send("Module/DoIt", "module.do_it")
	send("Module/DoMore", "module.do_more")
	send("Module/DoLess", "module.do_less")
	s.verdicts.Forget() // a flood of names would do the same
	s.newWalks(s.judging)
	send("Module/DoIt", "module.do_it")
	send("Module/DoLess", "module.do_less")
	r := s.now()
	assert.EqualValues(t, 5, totalOf(r, report.RuleRenamed.ID))
	counts := map[string]int64{}
	for _, f := range r.Findings {
		counts[f.Original] = f.Total
	}
	assert.Equal(t, map[string]int64{"module.do_it": 2, "module.do_more": 1, "other": 2}, counts)
}
