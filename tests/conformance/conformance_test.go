// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
	"github.com/otelcol-tc/otelcol-tc/tests/tcgen"
	"github.com/otelcol-tc/otelcol-tc/tests/tcgen/judge"
	"github.com/otelcol-tc/otelcol-tc/tests/tcgen/scenario"
)

// Behind naming a stock processor spoils names, parents and ids of known shares: those
// of spans, records and metrics that an id or a name chooses. A span by the semantic
// conventions can have any name.
const spoiling = `yaml:{
  connectors: {conformance: {interval: 1s, window: 5s}},
  processors: {transform/spoil: {
    trace_statements: [
      'delete_matching_keys(span.attributes, "^(rpc|db|messaging|gen_ai)\\.") where IsMatch(span.span_id.string, "^[01]")',
      'set(span.name, "spoiled name") where IsMatch(span.span_id.string, "^[01]")',
      'set(span.parent_span_id, SpanID(0x0102030405060708)) where IsMatch(span.span_id.string, "[0-2]$") and span.parent_span_id != SpanID(0x0000000000000000)'],
    metric_statements: ['set(metric.name, Concat(["Spoiled", metric.name], ".")) where IsMatch(metric.name, "count|total|sampling")'],
    log_statements: ['set(log.trace_id, TraceID(0x00000000000000000000000000000000)) where IsMatch(log.span_id.string, "^[0-3]")']}},
  service: {pipelines: {
    traces: {processors: [naming, transform/spoil]}, metrics: {processors: [naming, transform/spoil]}, logs: {processors: [naming, transform/spoil]},
    metrics/conformance: {exporters: [file/scores]}}}}`

// judged is what is said of one service.
type judged struct{ spans, wrongSpans, roots, orphans, untimed, metrics, wrongMetrics, records, withoutTrace int64 }

// The scores of what the four systems send, spoiled in known shares, are those that
// counting what came out gives.
func TestScoresAreTrue(t *testing.T) {
	t.Parallel()
	c := collectortest.Start(t, collectortest.Options{Configs: []string{"builtin:dev", spoiling}})
	start := time.Now().Add(-time.Hour)
	for _, name := range scenario.Names() {
		g, err := scenario.New(name, 1, start)
		require.NoError(t, err)
		for i := range tcgen.Scenarios {
			batch := g.Next(start.Add(time.Duration(i) * time.Minute))
			collectortest.PostTraces(t, c, batch.Traces)
			collectortest.PostMetrics(t, c, batch.Metrics)
			collectortest.PostLogs(t, c, batch.Logs)
		}
	}
	var spans int64
	collectortest.Eventually(t, collectortest.ArrivalTimeout, func() (bool, string) {
		spans = 0
		for _, service := range collectortest.ConformanceReport(t, c).Services {
			spans += service.Spans
		}
		return spans == int64(c.Traces(t).SpanCount()) && spans > 0, fmt.Sprintf("%d of %d spans judged", spans, c.Traces(t).SpanCount())
	})
	require.Zero(t, c.Stop(t).Code)

	want := truth(t, c)
	var all judged
	for _, k := range want {
		all.wrongSpans += k.wrongSpans
		all.orphans += k.orphans
		all.untimed += k.untimed
		all.wrongMetrics += k.wrongMetrics
		all.withoutTrace += k.withoutTrace
	}
	require.Positive(t, all.untimed, "FastDeploy's older version sends spans from 1970")
	for _, n := range []int64{all.wrongSpans, all.orphans, all.wrongMetrics, all.withoutTrace} {
		require.Greater(t, n, int64(10), "there is something to find: %+v", all)
	}
	assert.Equal(t, want, scored(c.MetricsIn(t, "scores.json")))
}

// judgements are what is said of services, by name.
type judgements map[string]*judged

func (j judgements) of(service string) *judged {
	if j[service] == nil {
		j[service] = &judged{}
	}
	return j[service]
}

// truth counts what came out.
func truth(t *testing.T, c *collectortest.Collector) judgements {
	t.Helper()
	known := judgements{}
	traces := c.Traces(t)
	ids := map[scenario.SpanRef]bool{}
	for span := range collectortest.SpansOf(traces) {
		ids[collectortest.SpanRef(span)] = true
	}
	for resource, span := range collectortest.SpansByResource(traces) {
		k := known.of(collectortest.ServiceName(resource))
		k.spans++
		if span.Name() == "spoiled name" {
			k.wrongSpans++
		}
		if span.StartTimestamp().AsTime().Year() < 2001 {
			k.untimed++
		}
		switch {
		case span.ParentSpanID().IsEmpty():
			k.roots++
		case !ids[scenario.SpanRef{TraceID: span.TraceID(), SpanID: span.ParentSpanID()}]:
			k.orphans++
		}
	}
	for resource, metric := range collectortest.MetricsByResource(c.Metrics(t)) {
		k := known.of(collectortest.ServiceName(resource))
		k.metrics++
		if strings.HasPrefix(metric.Name(), "Spoiled.") {
			k.wrongMetrics++
		}
	}
	for resource, record := range collectortest.RecordsByResource(c.LogRecords(t)) {
		k := known.of(collectortest.ServiceName(resource))
		k.records++
		if record.TraceID().IsEmpty() {
			k.withoutTrace++
		}
	}
	return known
}

// scored reads the same from the scores, of which the last ones hold.
func scored(metrics pmetric.Metrics) (known judgements) {
	for _, rm := range metrics.ResourceMetrics().All() {
		known = judgements{}
		for _, m := range rm.ScopeMetrics().At(0).Metrics().All() {
			if m.Type() != pmetric.MetricTypeSum {
				continue
			}
			for _, point := range m.Sum().DataPoints().All() {
				label := func(key string) string { return judge.Text(point.Attributes(), key) }
				if label("service") == "" {
					continue // of the collector as a whole
				}
				k, n := known.of(label("service")), point.IntValue()
				switch m.Name() + " " + label("signal") + label("rule") {
				case "tc_conformance_items traces":
					k.spans += n // of names that pass, and of the others
					k.wrongSpans += n
				case "tc_conformance_items metrics":
					k.metrics += n
					k.wrongMetrics += n
				case "tc_conformance_items logs":
					k.records += n
					k.withoutTrace += n
				case "tc_conformance_conformant_items traces":
					k.wrongSpans -= n
				case "tc_conformance_conformant_items metrics":
					k.wrongMetrics -= n
				case "tc_conformance_conformant_items logs":
					k.withoutTrace -= n
				case "tc_conformance_root_spans ":
					k.roots = n
				case "tc_conformance_findings tracesmissing_parent":
					k.orphans += n // by system
				case "tc_conformance_findings tracesimplausible_time":
					k.untimed += n
				}
			}
		}
	}
	return known
}
