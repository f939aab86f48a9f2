package conformanceconnector

import (
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-tc/otelcol-tc/connector/conformanceconnector/internal/metadata"
	"github.com/otelcol-tc/otelcol-tc/connector/conformanceconnector/internal/report"
)

// scores returns the metrics of a report. README.md describes each.
func scores(r *report.Report, resource pcommon.Resource) pmetric.Metrics {
	md := pmetric.NewMetrics()
	rm := md.ResourceMetrics().AppendEmpty()
	resource.CopyTo(rm.Resource())
	sm := rm.ScopeMetrics().AppendEmpty()
	sm.Scope().SetName(metadata.ScopeName)
	m := &metrics{to: sm.Metrics(), at: r.At}
	m.services(r.Services)
	m.rest(r)
	m.to.RemoveIf(func(metric pmetric.Metric) bool {
		return metric.Type() == pmetric.MetricTypeGauge && metric.Gauge().DataPoints().Len() == 0 ||
			metric.Type() == pmetric.MetricTypeSum && metric.Sum().DataPoints().Len() == 0
	})
	return md
}

// metrics builds metrics.
type metrics struct {
	to pmetric.MetricSlice
	at time.Time
}

func (m *metrics) services(services []report.Service) {
	checked := m.sum("tc_conformance_items", "{item}", "Metrics, spans, log records and attributes that were judged.")
	conformant := m.sum("tc_conformance_conformant_items", "{item}", "Those that conform.")
	share := m.gauge("tc_conformance_score", "1", "Share of what came in the last interval that conforms.")
	renamed := m.sum("tc_conformance_renamed_items", "{item}", "Those whose name was made conformant on the way.")
	spans := m.sum("tc_conformance_judged_spans", "{span}", "Spans that were judged with their traces.")
	roots := m.sum("tc_conformance_root_spans", "{span}", "Spans without a parent, of those that were judged.")
	late := m.sum("tc_conformance_late_spans", "{span}", "Spans that came after their traces were judged.")
	unjudged := m.sum("tc_conformance_unjudged_spans", "{span}", "Spans of traces that were not judged, because a limit was met or the trace did not end.")
	series := m.gauge("tc_conformance_series", "{series}", "Series of all metrics that are counted.")
	over := m.gauge("tc_conformance_over_budget_metrics", "{metric}", "Metrics with more series than the limit.")
	used := m.gauge("tc_conformance_budget_used", "1", "Share of the limit that the metric with the most series has.")
	for i := range services {
		s := &services[i]
		for _, score := range s.Scores {
			labels := []string{"service", s.Name, "signal", score.Signal}
			checked.count(score.Checked, s.Since, labels...)
			conformant.count(score.Conformant, s.Since, labels...)
			if score.Signal == report.KindMetric.Signal() || score.Signal == report.KindSpan.Signal() { // which have names
				renamed.count(score.Renamed, s.Since, labels...)
			}
			if score.Share >= 0 {
				share.value(score.Share, labels...)
			}
		}
		spans.count(s.Spans, s.Since, "service", s.Name)
		roots.count(s.Roots, s.Since, "service", s.Name)
		late.count(s.Late, s.Since, "service", s.Name)
		unjudged.count(s.Unjudged, s.Since, "service", s.Name)
		series.value(float64(s.Series), "service", s.Name)
		over.value(float64(s.OverBudget), "service", s.Name)
		used.value(s.BudgetUsed, "service", s.Name)
	}
}

func (m *metrics) rest(r *report.Report) {
	found := m.sum("tc_conformance_findings", "{finding}", "Findings by rule.")
	for _, c := range r.Counts {
		found.count(c.Total, c.Since, "service", c.Service, "system", c.System, "signal", c.Signal, "rule", c.Rule)
	}
	traces := m.sum("tc_conformance_edge_traces", "{trace}", "Traces with a span where an expected edge begins.")
	reached := m.sum("tc_conformance_edge_reached_traces", "{trace}", "Those that took the edge.")
	for _, e := range r.Expectations {
		for _, edge := range e.Edges {
			if edge.Traces > 0 {
				labels := []string{"system", e.System, "from", edge.From, "to", edge.To}
				traces.count(edge.Traces, r.Since, labels...)
				reached.count(edge.Reached, r.Since, labels...)
			}
		}
	}
	offset := m.gauge("tc_conformance_clock_skew", "s", "By how much a server's clock is ahead of a client's, from the calls of the last interval.")
	for _, s := range r.Skews {
		offset.value(s.Offset.Seconds(), "client", s.Client, "server", s.Server)
	}
	links := m.sum("tc_conformance_links", "{link}", "Links that were derived.")
	for _, l := range r.Links {
		links.count(l.Total, r.Since, "rule", l.Rule)
	}
	met := m.sum("tc_conformance_limit_met", "{item}", "Items that a limit of this connector kept from being told apart or judged.")
	for _, l := range r.Limits {
		met.count(l.Total, r.Since, "limit", l.Name)
	}
}

// points are those of one metric.
type points struct {
	to pmetric.NumberDataPointSlice
	at time.Time
}

func (m *metrics) sum(name, unit, description string) points {
	sum := m.metric(name, unit, description).SetEmptySum()
	sum.SetIsMonotonic(true)
	sum.SetAggregationTemporality(pmetric.AggregationTemporalityCumulative)
	return points{sum.DataPoints(), m.at}
}

func (m *metrics) gauge(name, unit, description string) points {
	return points{m.metric(name, unit, description).SetEmptyGauge().DataPoints(), m.at}
}

func (m *metrics) metric(name, unit, description string) pmetric.Metric {
	metric := m.to.AppendEmpty()
	metric.SetName(name)
	metric.SetUnit(unit)
	metric.SetDescription(description)
	return metric
}

func (p points) count(n int64, since time.Time, labels ...string) {
	point := p.point(labels)
	point.SetStartTimestamp(pcommon.NewTimestampFromTime(since))
	point.SetIntValue(n)
}

func (p points) value(v float64, labels ...string) { p.point(labels).SetDoubleValue(v) }

// point adds a point. Labels are alternating keys and values; one without a value is
// left out.
func (p points) point(labels []string) pmetric.NumberDataPoint {
	point := p.to.AppendEmpty()
	point.SetTimestamp(pcommon.NewTimestampFromTime(p.at))
	for i := 0; i < len(labels); i += 2 {
		if labels[i+1] != "" {
			point.Attributes().PutStr(labels[i], labels[i+1])
		}
	}
	return point
}
