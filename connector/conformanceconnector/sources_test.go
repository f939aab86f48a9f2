// SPDX-License-Identifier: Apache-2.0

package conformanceconnector

import (
	"context"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-tc/otelcol-tc/connector/conformanceconnector/internal/report"
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
