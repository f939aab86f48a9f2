package conformanceconnector

import (
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
)

// logs judges whether records have their trace, and their keys.
func (s *state) logs(ld plog.Logs) {
	w := s.begin()
	defer w.end()
	for _, rl := range ld.ResourceLogs().All() {
		resource := rl.Resource().Attributes()
		for i, sl := range rl.ScopeLogs().All() {
			w.enter(resource, sl.Scope())
			if i == 0 {
				w.keys(resource, w.owner(resource, ""))
			}
			for _, record := range sl.LogRecords().All() {
				w.record(record)
			}
			w.leaveSource()
			w.leave()
		}
	}
}

func (w *walk) record(record plog.LogRecord) {
	w.keysOf(&w.recentRecord, record.Attributes(), w.scope.Owner)
	correlated := !record.TraceID().IsEmpty()
	w.item(kindLog, correlated)
	source := w.source(record)
	if source != w.logged.source {
		w.leaveSource()
		w.logged.source = source
	}
	w.logged.records++
	if correlated {
		w.logged.withTrace++
		if !record.SpanID().IsEmpty() {
			w.logged.withSpan++
		}
		return
	}
	rule, suggestion, trace := w.uncorrelated(record)
	if rule == ruleIDsInAttributes {
		w.logged.inAttributes++
	}
	// Where a record comes from is what a person can change.
	w.found(w.findings.row(rowKey{
		rule: rule, kind: kindLog, service: w.scope.service, system: w.scope.Owner.Name(),
		original: source, suggestion: suggestion,
	}), trace)
}

const fileNameKey = "log.file.name"

// source is where a record comes from: its scope, or the file of one that has none.
func (w *walk) source(record plog.LogRecord) string {
	if w.scope.Scope != "" {
		return w.scope.Scope
	}
	return text(record.Attributes(), fileNameKey)
}

// leaveSource adds up what was counted for a source.
func (w *walk) leaveSource() {
	logs := w.logged
	w.logged = logTally{}
	if logs.records == 0 {
		return
	}
	if source := w.sources.of(w.scope.service, logs.source, w.now); source != nil {
		source.add(logs)
	} else {
		w.refuse(limitSources, logs.records)
	}
}

// uncorrelated is why a record has no trace id, and the trace that its attributes name.
func (w *walk) uncorrelated(record plog.LogRecord) (r *rule, suggestion string, trace pcommon.TraceID) {
	if !record.SpanID().IsEmpty() {
		return ruleSpanWithoutTrace, "", trace
	}
	w.fields.Reset()
	known := false
	for key, value := range record.Attributes().All() {
		if value.Type() == pcommon.ValueTypeStr {
			known = w.fields.Add(key, value.Str()) || known
		}
	}
	if known {
		if ids, ok := w.fields.Decide(); ok && !ids.TraceID.IsEmpty() {
			return ruleIDsInAttributes, "put the log_correlation processor before", ids.TraceID
		}
	}
	return ruleNoTrace, "", trace
}
