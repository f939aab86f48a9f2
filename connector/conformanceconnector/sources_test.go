// SPDX-License-Identifier: Apache-2.0

package conformanceconnector

import (
	"context"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-tc/otelcol-tc/connector/conformanceconnector/internal/report"
	"github.com/otelcol-tc/otelcol-tc/conventions"
	"github.com/otelcol-tc/otelcol-tc/internal/conformance"
)

// scrape returns what the Prometheus receiver makes of a scrape.
func scrape(job, instance string, value float64) pmetric.Metrics {
	md := pmetric.NewMetrics()
	rm := md.ResourceMetrics().AppendEmpty()
	rm.Resource().Attributes().PutStr("service.name", job)
	rm.Resource().Attributes().PutStr("service.instance.id", instance)
	to := rm.ScopeMetrics().AppendEmpty().Metrics()
	for name, value := range map[string]float64{"up": value, "scrape_duration_seconds": 0.01, "scrape_samples_scraped": 0} {
		m := to.AppendEmpty()
		m.SetName(name)
		m.SetEmptyGauge().DataPoints().AppendEmpty().SetDoubleValue(value)
	}
	return md
}

// findingsOf returns the findings of a rule.
func findingsOf(r *report.Report, rule string) (all []conformance.Finding) {
	for _, f := range r.Findings {
		if f.Rule == rule {
			all = append(all, f)
		}
	}
	return all
}

func TestScrapes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTestState(t, nil)
		s.judgeMetrics(context.Background(), scrape("engines", "a:1", 1))
		s.judgeMetrics(context.Background(), scrape("engines", "b:1", 0))
		s.judgeMetrics(context.Background(), scrape("engines", "b:1", 0))
		began := time.Now().UTC()
		r := s.now()
		failed := findingsOf(r, "scrape_failed")
		require.Len(t, failed, 1)
		assert.Equal(t, "engines", failed[0].Service)
		assert.Equal(t, "b:1", failed[0].Original)
		assert.EqualValues(t, 2, failed[0].Count)
		require.Len(t, r.Targets, 2)
		assert.False(t, r.Targets[0].Up)
		assert.Equal(t, "b:1", r.Targets[0].Instance)
		engines := serviceOf(t, r, "engines")
		checked, _ := scoreOf(&engines, "metrics")
		assert.Zero(t, checked, "metrics about a scrape are none of the service")
		assert.Equal(t, conformance.Headline{Share: -1}, engines.Headline, "nothing came, so nothing conforms")

		time.Sleep(time.Minute)
		s.judgeMetrics(context.Background(), scrape("engines", "b:1", 1))
		s.judgeMetrics(context.Background(), scrape("engines", "a:1", 1))
		r = s.now()
		assert.EqualValues(t, 2, totalOf(r, "scrape_failed"), "no more")
		for _, target := range r.Targets {
			assert.True(t, target.Up)
			assert.Equal(t, map[string]time.Time{"a:1": began, "b:1": began.Add(time.Minute)}[target.Instance], target.Since.UTC())
		}

		// A stale marker, and scrapes that end without one.
		gone := scrape("engines", "a:1", 0)
		for _, m := range gone.ResourceMetrics().At(0).ScopeMetrics().At(0).Metrics().All() {
			m.Gauge().DataPoints().At(0).SetFlags(pmetric.DefaultDataPointFlags.WithNoRecordedValue(true))
		}
		s.judgeMetrics(context.Background(), gone)
		r = s.now()
		assert.Len(t, r.Targets, 1)
		assert.EqualValues(t, 2, totalOf(r, "scrape_failed"))
		time.Sleep(11 * time.Minute)
		s.now()
		assert.Empty(t, s.now().Targets)

		// Another metric of that name is no scrape.
		other := pmetric.NewMetrics()
		gauge(other, "program", "up", "lift", "1")
		s.judgeMetrics(context.Background(), other)
		assert.Empty(t, s.now().Targets)
	})
}

// TestHostileScrapes checks that targets, and what is found about them, are bounded.
func TestHostileScrapes(t *testing.T) {
	s := newTestState(t, nil)
	for i := range 3 * report.MaxTargets {
		s.judgeMetrics(context.Background(), scrape("job"+strconv.Itoa(i%7), "host"+strconv.Itoa(i), 0))
	}
	r := s.now()
	assert.Len(t, r.Targets, report.MaxTargets)
	assert.EqualValues(t, report.MaxTargets, totalOf(r, "scrape_failed"))
	assert.EqualValues(t, 2*report.MaxTargets, r.Limits[report.LimitTargets].Total)
	var down float64
	for _, m := range scores(r, pcommon.NewResource()).ResourceMetrics().At(0).ScopeMetrics().At(0).Metrics().All() {
		if m.Name() == "tc_conformance_scrape_targets" {
			assert.Equal(t, 7, m.Gauge().DataPoints().Len())
			for _, p := range m.Gauge().DataPoints().All() {
				down += p.DoubleValue()
			}
		}
	}
	assert.EqualValues(t, report.MaxTargets, down)
}

func TestSilence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pack, err := conventions.Parse("shop.yaml", []byte("system: shop\nowns: {resource: {service.name: [till]}}\nexpect: {metrics: ['tc_shop_*']}"))
		require.NoError(t, err)
		s := newTestState(t, nil, pack)
		send := func(service string) {
			md := pmetric.NewMetrics()
			gauge(md, service, "tc_"+service+"_orders", "k", "v")
			s.judgeMetrics(context.Background(), md)
		}
		send("job") // ends at once
		var r *report.Report
		minutes := func(n int, services ...string) {
			for range n {
				time.Sleep(time.Minute)
				for _, service := range services {
					send(service)
				}
				r = s.now()
			}
		}
		minutes(5, "till", "steady")
		minutes(9, "steady")
		assert.Empty(t, findingsOf(r, "source_silent"))
		minutes(2, "steady")
		silent := findingsOf(r, "source_silent")
		require.Len(t, silent, 2)
		for _, f := range silent {
			switch f.Service {
			case "till":
				assert.Equal(t, "metrics", f.Signal)
			case "":
				assert.Equal(t, "shop", f.System)
			default:
				assert.Fail(t, "not silent", f.Service)
			}
		}
		assert.True(t, serviceOf(t, r, "till").Silent)
		assert.False(t, serviceOf(t, r, "steady").Silent)
		assert.False(t, serviceOf(t, r, "job").Silent)
		assert.True(t, r.Expectations[0].Silent)
		minutes(1, "till", "steady")
		assert.False(t, serviceOf(t, r, "till").Silent, "it sends again")
		minutes(70, "steady")
		assert.Nil(t, r.Service("till"))
		assert.Empty(t, findingsOf(r, "source_silent"), "what is forgotten is not missed")
	})
}

// TestLogsOutsideOfTraces checks records that cannot have a trace: those before the first trace of their
// service. They are information, and no score counts them.
func TestLogsOutsideOfTraces(t *testing.T) {
	s, rng := newTestState(t, nil), newRand(1)
	scope := "main"
	logs := func(service string, n int, trace bool) {
		ld := plog.NewLogs()
		addRecords(ld, service, scope, n, func(r plog.LogRecord) {
			if trace {
				r.SetTraceID(newTraceID(rng))
			}
		})
		s.judgeLogs(context.Background(), ld)
	}
	logs("shop", 3, false)
	logs("untraced", 5, false)
	r := s.now()
	assert.EqualValues(t, 8, totalOf(r, "log_outside_trace"))
	for _, f := range findingsOf(r, "log_outside_trace") {
		assert.Equal(t, conformance.LevelInformation, f.Level)
	}
	assert.Zero(t, totalOf(r, "log_without_trace"))
	shop := serviceOf(t, r, "shop")
	assert.Equal(t, conformance.Headline{Share: -1}, shop.Headline)
	assert.EqualValues(t, -1, shop.Scores[0].Share)
	checked, _ := scoreOf(&shop, "logs")
	assert.EqualValues(t, 3, checked, "they are counted all the same")

	tr := newTree(rng)
	tr.span("shop", "Shop/Sell", internal, none, 0, 1)
	s.judgeTraces(context.Background(), tr.td)
	logs("shop", 1, false)
	logs("shop", 3, true)
	r = s.now()
	assert.EqualValues(t, 1, totalOf(r, "log_without_trace"))
	assert.EqualValues(t, 8, totalOf(r, "log_outside_trace"))
	shop = serviceOf(t, r, "shop")
	for _, score := range shop.Scores {
		if score.Signal == "logs" {
			assert.Equal(t, 0.75, score.Share)
			assert.EqualValues(t, 3, score.Outside)
		}
	}
	assert.Equal(t, conformance.Headline{Signal: "logs", Share: 0.75}, shop.Headline)

	logs("untraced", 1, true) // a record shows that it has traces, too
	logs("untraced", 2, false)
	assert.EqualValues(t, 3, totalOf(s.now(), "log_without_trace"))

	// The logging of both has traces, so that another logger without any is outside of spans.
	scope = "start"
	logs("untraced", 4, false)
	assert.EqualValues(t, 12, totalOf(s.now(), "log_outside_trace"))
	logs("untraced", 1, true)
	logs("untraced", 5, false)
	r = s.now()
	assert.EqualValues(t, 12, totalOf(r, "log_outside_trace"))
	assert.EqualValues(t, 8, totalOf(r, "log_without_trace"), "it has them, too")

	// The logging of a service with spans has no traces at all.
	tr = newTree(rng)
	tr.span("uninstrumented", "Shop/Sell", internal, none, 0, 1)
	s.judgeTraces(context.Background(), tr.td)
	logs("uninstrumented", 2, false)
	assert.EqualValues(t, 10, totalOf(s.now(), "log_without_trace"))

	// Text files share no logger.
	ld := plog.NewLogs()
	addRecords(ld, "untraced", "", 3, func(r plog.LogRecord) { r.Attributes().PutStr(fileNameKey, "one.log") })
	s.judgeLogs(context.Background(), ld)
	assert.EqualValues(t, 13, totalOf(s.now(), "log_without_trace"))
}

// TestShortRun checks what a run says of its traces that is shorter than the window: that they wait, and
// at its end what can be judged without the rest.
func TestShortRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		rng := newRand(1)
		whole := newTree(rng)
		root := whole.span("a", "A/Do", internal, none, 0, 100)
		whole.span("a", "A/Help", internal, root.SpanID(), 0, 200)
		part := newTree(rng)
		part.span("a", "A/Help", internal, newSpanID(rng), 0, 100)
		r.sendTraces(whole.td)
		r.sendTraces(part.td)
		time.Sleep(10 * time.Second)
		s := r.traces[0].(*instance).hub.state
		now := s.report(time.Now(), false)
		assert.EqualValues(t, 2, now.Traces.Waiting)
		assert.Zero(t, now.Traces.Judged)
		r.shutdown()
		now = s.Report()
		assert.EqualValues(t, 1, now.Traces.Judged)
		assert.EqualValues(t, 1, now.Traces.Waiting, "its parent may have come")
		assert.EqualValues(t, 2, serviceOf(t, now, "a").Spans)
		assert.EqualValues(t, 1, totalOf(now, "ends_after_parent"))
		assert.Zero(t, totalOf(now, "missing_parent"))
	})
}

// addRecords adds log records of a scope.
func addRecords(ld plog.Logs, service, scope string, n int, change func(plog.LogRecord)) {
	rl := ld.ResourceLogs().AppendEmpty()
	rl.Resource().Attributes().PutStr("service.name", service)
	sl := rl.ScopeLogs().AppendEmpty()
	sl.Scope().SetName(scope)
	for range n {
		change(sl.LogRecords().AppendEmpty())
	}
}

func TestLogSources(t *testing.T) {
	s, ld, rng := newTestState(t, nil), plog.NewLogs(), newRand(1)
	addRecords(ld, "a", "good", 3, func(r plog.LogRecord) {
		r.SetTraceID(newTraceID(rng))
		r.SetSpanID(newSpanID(rng))
	})
	addRecords(ld, "a", "half", 2, func(r plog.LogRecord) { r.SetTraceID(newTraceID(rng)) })
	addRecords(ld, "a", "half", 1, func(r plog.LogRecord) {
		r.Attributes().PutStr("trace_id", newTraceID(rng).String())
	})
	addRecords(ld, "b", "bad", 4, func(plog.LogRecord) {})
	addRecords(ld, "b", "silent", 0, nil)
	addRecords(ld, "b", "", 2, func(r plog.LogRecord) { r.Attributes().PutStr(fileNameKey, "one.log") })
	addRecords(ld, "b", "", 1, func(r plog.LogRecord) { r.Attributes().PutStr(fileNameKey, "other.log") })
	s.judgeLogs(context.Background(), ld)
	s.judgeLogs(context.Background(), ld)
	assert.Equal(t, []conformance.LogSource{
		{Service: "b", Name: "bad", Records: 8, WithTrace: 0, WithSpan: 0, InAttributes: 0},
		{Service: "b", Name: "one.log", Records: 4, WithTrace: 0, WithSpan: 0, InAttributes: 0, File: true},
		{Service: "b", Name: "other.log", Records: 2, WithTrace: 0, WithSpan: 0, InAttributes: 0, File: true},
		{Service: "a", Name: "half", Records: 6, WithTrace: 4, WithSpan: 0, InAttributes: 2},
		{Service: "a", Name: "good", Records: 6, WithTrace: 6, WithSpan: 6, InAttributes: 0},
	}, s.now().LogSources)

	s.report(time.Now().Add(report.ForgetAfter+time.Minute), true)
	assert.Empty(t, s.now().LogSources, "the sources of forgotten services are forgotten")
}

func TestLogSourcesAreBounded(t *testing.T) {
	s, ld := newTestState(t, nil), plog.NewLogs()
	for i := range report.MaxSources + 7 {
		addRecords(ld, "a", strconv.Itoa(i), 2, func(plog.LogRecord) {})
	}
	s.judgeLogs(context.Background(), ld)
	r := s.now()
	assert.Len(t, r.LogSources, report.MaxSources)
	assert.EqualValues(t, 14, r.Limits[report.LimitSources].Total)
}
