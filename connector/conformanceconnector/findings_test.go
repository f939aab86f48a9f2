// SPDX-License-Identifier: Apache-2.0

package conformanceconnector

import (
	"context"
	"encoding/json"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-tc/otelcol-tc/connector/conformanceconnector/internal/report"
	"github.com/otelcol-tc/otelcol-tc/conventions"
	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
	"github.com/otelcol-tc/otelcol-tc/internal/conformance"
	"github.com/otelcol-tc/otelcol-tc/tests/configtest"
)

// TestForgets checks that services and metrics which send nothing are forgotten.
func TestForgets(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTestState(t, nil)
		md := pmetric.NewMetrics()
		gauge(md, "a", "tc_m", "k", "1", "2", "3")
		s.judgeMetrics(context.Background(), md)
		assert.Equal(t, conformance.Metric{Service: "a", Name: "tc_m", System: "none", Type: "gauge", Attributes: []conformance.MetricAttribute{}}, s.now().Metrics[0])
		time.Sleep(2 * report.ForgetAfter)
		s.now()
		r := s.now()
		assert.Empty(t, r.Services)
		assert.Empty(t, r.Metrics)
		assert.Empty(t, r.Counts)
	})
}

func TestMissing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pack, err := conventions.Parse("shop.yaml", []byte("system: shop\nowns: {resource: {service.name: [till, warehouse]}}\n"+
			"expect: {metrics: ['tc_shop_*'], components: [Till, Warehouse], edges: [{from: Till, to: Warehouse}]}"))
		require.NoError(t, err)
		s := newTestState(t, nil, pack)
		rng := newRand(1)
		till := func(whole bool) {
			tr := newTree(rng)
			root := tr.span("till", "Till/TakeOrder", internal, none, 0, 100)
			if whole {
				middle := tr.span("gateway", "Gateway/Ask", internal, root.SpanID(), 0, 100)
				tr.span("warehouse", "Warehouse/Pack", internal, middle.SpanID(), 0, 100)
			} else {
				// The component is in the trace, but not below the start of the edge.
				tr.span("warehouse", "Warehouse/Pack", internal, none, 0, 100)
			}
			s.judgeTraces(context.Background(), tr.td)
			time.Sleep(s.config.Window)
			s.sweep(time.Now())
		}
		for range 5 {
			till(false)
		}
		r := s.now()
		assert.Zero(t, totalOf(r, "missing_edge"), "too early")
		assert.EqualValues(t, 5, totalOf(r, "broken_edge"))
		for range 6 {
			till(false)
		}
		r = s.now()
		assert.Zero(t, totalOf(r, "missing_edge"), "a trace with the edge may wait to be judged")
		assert.EqualValues(t, 1, totalOf(r, "missing_metric"))
		for range 4 {
			till(false)
		}
		r = s.now()
		assert.EqualValues(t, 1, totalOf(r, "missing_edge"))
		assert.EqualValues(t, 2, totalOf(r, "missing_metric"))
		assert.Zero(t, totalOf(r, "missing_component"))
		till(true)
		r = s.now()
		assert.EqualValues(t, 1, totalOf(r, "missing_edge"), "no more")
		assert.EqualValues(t, 3, totalOf(r, "missing_metric"))
		edge := r.Expectations[0].Edges[0]
		assert.EqualValues(t, 16, edge.Traces)
		assert.EqualValues(t, 1, edge.Reached)

		time.Sleep(s.config.ExpectAfter)
		r = s.now()
		assert.EqualValues(t, 3, totalOf(r, "missing_metric"), "a system that sends nothing has no findings")
		assert.Zero(t, r.Expectations[0].SeenSince)
	})
}

func TestLinksByRule(t *testing.T) {
	s, tr := newTestState(t, nil), newTree(newRand(1))
	span := tr.span("a", "A/Do", internal, none, 0, 1)
	for range 2 {
		span.Links().AppendEmpty().Attributes().PutStr("tc.link.rule", "tuft.session")
	}
	span.Links().AppendEmpty() // a link of its own, not derived
	s.judgeTraces(context.Background(), tr.td)
	assert.Equal(t, []conformance.Link{{Rule: "tuft.session", Total: 2}}, s.now().Links)
	for i := range 2 * report.MaxLinkRules {
		s.results.Link(strconv.Itoa(i))
	}
	assert.Len(t, s.now().Links, report.MaxLinkRules+1)
}

// TestLimits checks that items beyond the limits are still counted, together.
func TestLimits(t *testing.T) {
	s := newTestState(t, func(c *Config) { c.MaxServices, c.MaxFindings, c.MaxMetrics = 2, 3, 4 })
	md := pmetric.NewMetrics()
	for i := range 10 {
		gauge(md, "service-"+strconv.Itoa(i), "wrong."+strconv.Itoa(i), "k", "v")
	}
	s.judgeMetrics(context.Background(), md)
	r := s.now()
	assert.Len(t, r.Services, 3)
	other := serviceOf(t, r, report.Other)
	checked, conformant := scoreOf(&other, "metrics")
	assert.EqualValues(t, 8, checked)
	assert.Zero(t, conformant)
	assert.EqualValues(t, 10, totalOf(r, "metric_general"))
	assert.Len(t, r.Findings, 4)
	assert.Len(t, r.Metrics, 4)
	assert.EqualValues(t, 7, r.Limits[report.LimitFindings].Total)
	assert.EqualValues(t, 6, r.Limits[report.LimitMetrics].Total)
	assert.Positive(t, r.Limits[report.LimitServices].Total)
}

// TestReport checks that a report does not change later, and that it can be written as JSON.
func TestReport(t *testing.T) {
	s := newTestState(t, nil)
	nothing, err := json.Marshal(s.Report())
	require.NoError(t, err)
	assert.NotContains(t, string(nothing), "null", "lists are empty before the first report")
	md := pmetric.NewMetrics()
	gauge(md, "shop", "shop.orders", "k", "v")
	s.judgeMetrics(context.Background(), md)
	s.now()
	first := s.Report()
	text, err := json.Marshal(first)
	require.NoError(t, err)
	assert.Contains(t, string(text), `"rule":"metric_general","level":"information"`)
	s.judgeMetrics(context.Background(), md)
	s.now()
	again, err := json.Marshal(first)
	require.NoError(t, err)
	assert.Equal(t, text, again)
	s.now()
	if last := s.Report(); assert.Len(t, last.Findings, 1, "also without a new report") {
		assert.EqualValues(t, 2, last.Findings[0].Total)
		assert.Zero(t, last.Findings[0].Count)
	}
}

// TestConcurrency makes reports while batches are processed.
func TestConcurrency(t *testing.T) {
	s := newTestState(t, func(c *Config) { c.MaxServices = 3 })
	const goroutines, batches = 8, 50
	done := make(chan struct{})
	for g := range goroutines {
		go func() {
			defer func() { done <- struct{}{} }()
			rng := newRand(uint64(g))
			for i := range batches {
				tr := newTree(rng)
				tr.span("service-"+strconv.Itoa(i%5), "wrong name "+strconv.Itoa(i%7), ptrace.SpanKindServer, newSpanID(rng), 0, 1)
				s.judgeTraces(context.Background(), tr.td)
				if i%10 == 0 {
					s.judgeAll()
					s.now()
				}
			}
		}()
	}
	for range goroutines {
		<-done
	}
	s.judgeAll()
	r := s.now()
	var checked, judged int64
	for _, svc := range r.Services {
		n, _ := scoreOf(&svc, "traces")
		checked += n
		judged += svc.Spans
	}
	assert.EqualValues(t, goroutines*batches, checked)
	assert.EqualValues(t, goroutines*batches, judged)
	assert.EqualValues(t, goroutines*batches, totalOf(r, "span_text"))
	assert.EqualValues(t, goroutines*batches, totalOf(r, "missing_parent"))
}

func TestErrorsNameKeyRuleAndValue(t *testing.T) { configtest.Errors(t, defaultConfig) }

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
