// SPDX-License-Identifier: Apache-2.0

package protect

import (
	"iter"
	"strconv"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-tc/otelcol-tc/conventions/content"
	"github.com/otelcol-tc/otelcol-tc/internal/attributes"
	"github.com/otelcol-tc/otelcol-tc/internal/namecache"
)

// Traces protects a batch of spans.
func (w *Walk) Traces(td ptrace.Traces) {
	for _, rs := range td.ResourceSpans().All() {
		if !w.begin(rs.Resource().Attributes()) {
			continue
		}
		w.schema(rs.SchemaUrl(), rs.SetSchemaUrl)
		for _, ss := range rs.ScopeSpans().All() {
			w.schema(ss.SchemaUrl(), ss.SetSchemaUrl)
			w.scopeTexts(ss.Scope())
			resource := w.beginScope(ss.Scope())
			for _, span := range ss.Spans().All() {
				w.item(func() { w.span(span) })
			}
			w.endScope(ss.Scope(), resource)
		}
		w.end(rs.Resource().Attributes())
	}
}

func (w *Walk) span(span ptrace.Span) {
	for _, event := range span.Events().All() {
		w.event = w.policy.Event(event.Name())
		w.models = w.models || w.event != nil
		w.attributes(event.Attributes(), true)
		w.event = nil
		w.scrubName(event.Name(), event.Attributes(), event.SetName)
	}
	w.traceState(span.TraceState())
	for _, link := range span.Links().All() {
		w.traceState(link.TraceState())
		w.attributes(link.Attributes(), false)
	}
	w.scrubName(span.Name(), span.Attributes(), span.SetName)
	if message := span.Status().Message(); message != "" {
		w.scrubMessage(message, span.Status().SetMessage)
	}
	w.attributes(span.Attributes(), true)
}

// Logs protects a batch of log records.
func (w *Walk) Logs(ld plog.Logs) {
	for _, rl := range ld.ResourceLogs().All() {
		if !w.begin(rl.Resource().Attributes()) {
			continue
		}
		w.schema(rl.SchemaUrl(), rl.SetSchemaUrl)
		for _, sl := range rl.ScopeLogs().All() {
			w.schema(sl.SchemaUrl(), sl.SetSchemaUrl)
			w.scopeTexts(sl.Scope())
			resource := w.beginScope(sl.Scope())
			for _, record := range sl.LogRecords().All() {
				w.item(func() { w.logRecord(record, sl.Scope().Name()) })
			}
			w.endScope(sl.Scope(), resource)
		}
		w.end(rl.Resource().Attributes())
	}
}

// eventNames are the attributes with a record's event name before the field EventName existed: of the conventions,
// and of LiteLLM. The first is also the key of bodies with it.
var eventNames = [...]string{"event.name", content.EventName}

// eventOf returns the name of the event that a record is, or an empty text.
func eventOf(record plog.LogRecord) string {
	if name := record.EventName(); name != "" {
		return name
	}
	for _, key := range eventNames {
		if name := attributes.Text(record.Attributes(), key); name != "" {
			return name
		}
	}
	if body := record.Body(); body.Type() == pcommon.ValueTypeMap {
		return attributes.Text(body.Map(), eventNames[0])
	}
	return ""
}

// record is a log record, as the rules for lines see it.
type record struct {
	plog.LogRecord
	scope string
	known bool
	// programs are the rules for all lines of a program that apply to the record.
	programs uint64
}

// loggerName is the attribute with the name of a logger. Python's handler has it as the name of the scope.
const loggerName = "logger.name"

// Attribute implements content.Record.
func (r *record) Attribute(key string) string {
	if text := attributes.Text(r.Attributes(), key); text != "" || key != loggerName {
		return text
	}
	return r.scope
}

// Debug implements content.Record.
func (r *record) Debug() bool {
	return r.SeverityNumber() > 0 && r.SeverityNumber() <= plog.SeverityNumberDebug4
}

// logRecord protects a log record. The text of a body is a line of a log: it is content in an event that
// carries content, or that is about a call to a model. Elsewhere it loses the prompts and answers that programs are
// known to write, and the secrets of its URLs.
func (w *Walk) logRecord(log plog.LogRecord, scope string) {
	body, name := log.Body(), eventOf(log)
	w.text(content.Name, log.SeverityText(), log.SetSeverityText)
	w.record = record{LogRecord: log, scope: scope, known: true}
	w.record.programs = w.policy.Programs(&w.record)
	w.event = w.policy.Event(name)
	w.models = w.models || w.event != nil || name != "" && w.policy.ModelEvent(name)
	w.named = w.models && (name != "" || w.hasKey(log.Attributes(), func(k *content.Key) bool { return k.Call }))
	if text := log.SeverityText(); w.models && w.action != content.Keep && !content.Identifier(text) {
		log.SetSeverityText(content.Redacted)
	}
	w.lines = true
	switch body.Type() {
	case pcommon.ValueTypeMap:
		w.path = w.path[:0]
		w.entries(body.Map())
	case pcommon.ValueTypeSlice, pcommon.ValueTypeStr, pcommon.ValueTypeBytes:
		w.body(name, body)
	}
	w.lines = false
	if w.event == nil {
		w.event = w.policy.Fields(w.record.programs)
	}
	w.attributes(log.Attributes(), true)
	if name := log.EventName(); name != "" {
		w.scrubName(name, log.Attributes(), log.SetEventName)
	}
	w.event, w.record, w.named = nil, record{}, false
}

// Metrics protects a batch of metrics.
func (w *Walk) Metrics(md pmetric.Metrics) {
	w.metrics = true
	for _, rm := range md.ResourceMetrics().All() {
		if !w.begin(rm.Resource().Attributes()) {
			continue
		}
		w.schema(rm.SchemaUrl(), rm.SetSchemaUrl)
		for _, sm := range rm.ScopeMetrics().All() {
			w.schema(sm.SchemaUrl(), sm.SetSchemaUrl)
			w.scopeTexts(sm.Scope())
			resource := w.beginScope(sm.Scope())
			for _, m := range sm.Metrics().All() {
				w.text(content.Name, m.Name(), m.SetName)
				w.text(content.Name, m.Description(), m.SetDescription)
				w.text(content.Name, m.Unit(), m.SetUnit)
				scope := w.models
				w.models = scope || namecache.ByText(w.names, m.Name(), w.policy.ModelEvent)
				w.metricTexts(m)
				w.points(m)
				w.attributes(m.Metadata(), false)
				w.models = scope
			}
			w.endScope(sm.Scope(), resource)
		}
		w.end(rm.Resource().Attributes())
	}
}

// points protects all points of a metric. The iterators of package datapoints would cost a point 30 of 150 ns more.
func (w *Walk) points(m pmetric.Metric) {
	switch m.Type() {
	case pmetric.MetricTypeGauge:
		eachPoint(w, m.Gauge().DataPoints().All())
	case pmetric.MetricTypeSum:
		eachPoint(w, m.Sum().DataPoints().All())
	case pmetric.MetricTypeHistogram:
		eachPoint(w, m.Histogram().DataPoints().All())
	case pmetric.MetricTypeExponentialHistogram:
		eachPoint(w, m.ExponentialHistogram().DataPoints().All())
	case pmetric.MetricTypeSummary:
		for _, point := range m.Summary().DataPoints().All() {
			scope := w.models
			w.point(point.Attributes())
			if w.turned(scope) {
				w.point(point.Attributes())
			}
			w.models = scope
		}
	}
}

func eachPoint[P interface {
	Attributes() pcommon.Map
	Exemplars() pmetric.ExemplarSlice
}](w *Walk, points iter.Seq2[int, P]) {
	for _, point := range points {
		scope := w.models
		for pass := 0; pass == 0 || pass == 1 && w.turned(scope); pass++ { // Walk.item would be garbage for each point
			w.point(point.Attributes())
			for _, exemplar := range point.Exemplars().All() {
				w.attributes(exemplar.FilteredAttributes(), false)
			}
		}
		w.models = scope
	}
}

// point protects the attributes of a data point, and keeps its stream apart from those that differ only by a
// value that was replaced.
func (w *Walk) point(attrs pcommon.Map) {
	w.stream = 0
	w.attributes(attrs, false)
	if w.stream == 0 {
		return
	}
	// A point can lose further values later: to another collector, or because a pack renames them.
	value, _ := attrs.GetOrPutEmpty(content.StreamKey)
	value.SetStr(value.AsString() + strconv.FormatUint(w.stream, 16))
}

// lose adds a value that is replaced to the stream of the current data point.
func (w *Walk) lose(key, value string) {
	if w.metrics {
		w.stream += w.policy.Stream(key, value)
	}
}
