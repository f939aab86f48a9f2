// SPDX-License-Identifier: Apache-2.0

package conformanceconnector

import (
	"strconv"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-tc/otelcol-tc/connector/conformanceconnector/internal/metadata"
	"github.com/otelcol-tc/otelcol-tc/connector/conformanceconnector/internal/report"
	"github.com/otelcol-tc/otelcol-tc/internal/conformance"
)

// scores returns the metrics of a report. README.md describes them.
func scores(r *report.Report, resource pcommon.Resource) pmetric.Metrics {
	md := pmetric.NewMetrics()
	rm := md.ResourceMetrics().AppendEmpty()
	resource.CopyTo(rm.Resource())
	sm := rm.ScopeMetrics().AppendEmpty()
	sm.Scope().SetName(metadata.ScopeName)
	m := &metrics{to: sm.Metrics(), at: r.At}
	m.services(r.Services)
	m.traces(r)
	m.targets(r.Targets)
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

func (m *metrics) services(services []conformance.Service) {
	checked := m.sum("tc_conformance_items", "{item}", "Judged metrics, spans, log records and attributes.")
	conformant := m.sum("tc_conformance_conformant_items", "{item}", "Items that conform.")
	share := m.gauge("tc_conformance_score", "1", "Conformant share of the items of the last interval.")
	renamed := m.sum("tc_conformance_renamed_items", "{item}", "Items whose name an earlier component made conformant.")
	spans := m.sum("tc_conformance_judged_spans", "{span}", "Spans judged with their traces.")
	roots := m.sum("tc_conformance_root_spans", "{span}", "Judged spans without a parent.")
	late := m.sum("tc_conformance_late_spans", "{span}", "Spans that arrived after their traces were judged.")
	unjudged := m.sum("tc_conformance_unjudged_spans", "{span}", "Spans of traces that were not judged, because a limit was reached or the trace did not end.")
	series := m.gauge("tc_conformance_series", "{series}", "Series that cardinality sends.")
	over := m.gauge("tc_conformance_over_budget_metrics", "{metric}", "Metrics whose series cardinality merges because of a budget.")
	used := m.gauge("tc_conformance_budget_used", "1", "Used share of the limit of series, by the metric with the most series.")
	for i := range services {
		s := &services[i]
		for _, score := range s.Scores {
			for o, part := range [report.Owners]conformance.Part{report.Owned: score.Owned, report.Unowned: score.Unowned} {
				if part.Checked == 0 {
					continue
				}
				labels := []string{"service", s.Name, "signal", score.Signal, "owned", report.Owner(o).Label()}
				checked.count(part.Checked, s.Since, labels...)
				conformant.count(part.Conformant, s.Since, labels...)
				if score.Signal == report.KindMetric.Signal() || score.Signal == report.KindSpan.Signal() { // only these signals have names
					renamed.count(part.Renamed, s.Since, labels...)
				}
				if part.Share >= 0 {
					share.value(part.Share, labels...)
				}
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

func (m *metrics) traces(r *report.Report) {
	m.sum("tc_conformance_judged_traces", "{trace}", "Traces judged as a whole.").count(r.Traces.Judged, r.Since)
	m.sum("tc_conformance_unjudged_traces", "{trace}", "Traces that waited and were not judged, because a limit was reached or the trace did not end.").
		count(r.Traces.Unjudged, r.Since)
	m.gauge("tc_conformance_waiting_traces", "{trace}", "Traces that wait for more spans, to be judged later.").value(float64(r.Traces.Waiting))
}

func (m *metrics) targets(all []conformance.Target) {
	targets := m.gauge("tc_conformance_scrape_targets", "{target}", "Scraped targets.")
	for n := 0; len(all) > 0; all = all[n:] { // they are sorted
		for n = 1; n < len(all) && all[n].Up == all[0].Up && all[n].Service == all[0].Service; n++ {
		}
		targets.value(float64(n), "service", all[0].Service, "up", strconv.FormatBool(all[0].Up))
	}
}

func (m *metrics) rest(r *report.Report) {
	found := m.sum("tc_conformance_findings", "{finding}", "Findings by rule.")
	for _, c := range r.Counts {
		found.count(c.Total, c.Since, "service", c.Service, "system", c.System, "signal", c.Signal, "rule", c.Rule,
			"owned", strconv.FormatBool(!c.Unowned))
	}
	m.costs(r.Explorer)
	traces := m.sum("tc_conformance_edge_traces", "{trace}", "Traces with a span at the start of an expected edge.")
	reached := m.sum("tc_conformance_edge_reached_traces", "{trace}", "Traces that have the edge.")
	for _, e := range r.Expectations {
		for _, edge := range e.Edges {
			if edge.Traces > 0 {
				labels := []string{"system", e.System, "from", edge.From, "to", edge.To}
				traces.count(edge.Traces, r.Since, labels...)
				reached.count(edge.Reached, r.Since, labels...)
			}
		}
	}
	offset := m.gauge("tc_conformance_clock_skew", "s", "Offset of a server's clock from a client's clock, from the calls of the last interval.")
	for _, s := range r.Skews {
		offset.value(s.Offset.Seconds(), "client", s.Client, "server", s.Server)
	}
	links := m.sum("tc_conformance_links", "{link}", "Derived links.")
	for _, l := range r.Links {
		links.count(l.Total, r.Since, "rule", l.Rule)
	}
	met := m.sum("tc_conformance_limit_met", "{item}", "Items that are not judged or counted separately, because a limit of this connector was reached.")
	for _, l := range r.Limits {
		met.count(l.Total, r.Since, "limit", l.Name)
	}
}

// points are the data points of one metric.
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

// point adds a point. labels are alternating keys and values; a label with an empty value is left out.
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

// maxFolded limits the series of tc_conformance_folded_series: its labels come from telemetry.
const maxFolded = 100

// costs adds what the explorer knows.
func (m *metrics) costs(e conformance.Explorer) {
	if !e.Shared {
		return
	}
	folded := m.gauge("tc_conformance_folded_series", "{series}", "Series past a budget, which cardinality merges into one, by the attribute that makes them.")
	for n, i := 0, 0; i < len(e.Metrics) && n < maxFolded; i++ {
		c := &e.Metrics[i]
		refused := c.Refused()
		if refused == 0 {
			continue
		}
		n++
		attribute := ""
		if exploding := c.Exploding(); exploding != nil {
			attribute = exploding.Key
		}
		folded.value(float64(refused), "service", c.Service, "metric", c.Name, "attribute", attribute)
	}
	saved := m.gauge("tc_conformance_saved_series", "{series}", "Series that came to cardinality and are not sent.")
	saved.value(float64(e.Saved.Series))
	points := m.gauge("tc_conformance_saved_points", "{point}/d", "Data points a day that are not sent, at the rate of the last hour.")
	points.value(e.Saved.PointsPerDay)
	bytes := m.gauge("tc_conformance_saved_bytes", "By/d", "Bytes a day that are not sent, at the rate of the last hour.")
	bytes.value(e.Saved.BytesPerDay)
}
