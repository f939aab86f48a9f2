// SPDX-License-Identifier: Apache-2.0

package conformanceconnector

import (
	"context"
	"encoding/json"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-tc/otelcol-tc/connector/conformanceconnector/internal/report"
	"github.com/otelcol-tc/otelcol-tc/tests/configtest"
)

func TestLinkRulesAreBounded(t *testing.T) {
	s := newTestState(t, nil)
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
