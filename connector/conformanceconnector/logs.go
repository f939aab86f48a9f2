// SPDX-License-Identifier: Apache-2.0

package conformanceconnector

import (
	"context"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/otelcol-tc/otelcol-tc/connector/conformanceconnector/internal/report"
	"github.com/otelcol-tc/otelcol-tc/connector/conformanceconnector/internal/verdict"
	"github.com/otelcol-tc/otelcol-tc/internal/attributes"
	"github.com/otelcol-tc/otelcol-tc/internal/conformance"
	"github.com/otelcol-tc/otelcol-tc/internal/tracecontext"
)

const (
	fileNameKey = "log.file.name"
	// fileKeys begins the keys of attributes with the place of a line.
	fileKeys = "log."
)

// judgeLogs checks whether records have their trace id, and checks their keys.
func (s *state) judgeLogs(ctx context.Context, ld plog.Logs) {
	w := s.begin(ctx)
	defer s.end(w)
	for _, rl := range ld.ResourceLogs().All() {
		for i, sl := range rl.ScopeLogs().All() {
			w.enter(rl.Resource().Attributes(), sl.Scope(), i == 0)
			for _, record := range sl.LogRecords().All() {
				w.record(record)
			}
			w.leaveSource()
			w.leave()
		}
	}
}

func (w *walk) record(record plog.LogRecord) {
	w.judgeKeys(record.Attributes(), w.scope.Owner)
	correlated := !record.TraceID().IsEmpty()
	by := w.scope.Service.OwnerOf(w.scope.Owner, report.KindLog)
	w.item(by, report.KindLog, correlated)
	// The source of a record is its scope, or its file if it has no scope.
	source := w.scope.Scope
	if source == "" {
		source = attributes.Text(record.Attributes(), fileNameKey)
	}
	if source != w.logged.Name {
		w.leaveSource()
		w.logged.Name = source
	}
	w.logged.Records++
	if w.scope.Scope == "" && source != "" {
		w.line(record)
	}
	if correlated {
		w.scope.Service.Traced(report.KindLog)
		w.logged.WithTrace++
		if !record.SpanID().IsEmpty() {
			w.logged.WithSpan++
		}
		return
	}
	rule, suggestion, trace := verdict.Uncorrelated(record.SpanID(), w.contextFields(record))
	switch {
	case rule == report.RuleIDsInAttributes:
		w.logged.InAttributes++
	case rule == report.RuleNoTrace && w.scope.Service.Outside(w.logged.File, w.sourceTraced()):
		rule = report.RuleOutsideTrace
		w.tally[by][report.KindLog].Outside++
	}
	// A person can change the source, not a single record.
	w.results.Finding(report.Key{
		Rule: rule, Kind: report.KindLog, Service: w.scope.Service, System: w.scope.Owner.Name(),
		Original: source, Suggestion: suggestion,
	}).Found(1, trace)
}

// sourceTraced reports whether a record of the source had a trace.
func (w *walk) sourceTraced() bool {
	return w.logged.WithTrace > 0 || w.results.HasTraced(w.scope.Service, w.logged.Name)
}

// line counts a line of a text file.
func (w *walk) line(record plog.LogRecord) {
	w.logged.File = true
	if record.SeverityNumber() != plog.SeverityNumberUnspecified || record.Body().Type() != pcommon.ValueTypeStr {
		return
	}
	for key := range record.Attributes().All() {
		if !strings.HasPrefix(key, fileKeys) { // the line had a format without a severity
			return
		}
	}
	if w.logged.NoFormat++; w.logged.Shape == "" {
		w.logged.Shape = verdict.Shape(record.Body().Str())
	}
}

// leaveSource adds the counts of a source to the results.
func (w *walk) leaveSource() {
	if w.logged.Records > 0 {
		w.results.Records(w.scope.Service, &w.logged, w.now)
	}
	w.logged = conformance.LogSource{}
}

// contextFields returns the attributes of a record that may contain its trace id, or nil.
func (w *walk) contextFields(record plog.LogRecord) *tracecontext.Fields {
	w.fields.Reset()
	known := false
	for key, value := range record.Attributes().All() {
		if value.Type() == pcommon.ValueTypeStr {
			known = w.fields.Add(key, value.Str()) || known
		}
	}
	if !known {
		return nil
	}
	return &w.fields
}
