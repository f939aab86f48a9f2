package conformanceconnector

import (
	"fmt"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/otelcol-tc/otelcol-tc/connector/conformanceconnector/internal/metadata"
)

// The names are those of the findings of OpenTelemetry Weaver's live check, so that
// what reads those reads these.
const (
	findingEvent   = "weaver.live_check.finding"
	findingID      = "weaver.finding.id"
	findingLevel   = "weaver.finding.level"
	findingSample  = "weaver.finding.sample.type"
	findingSignal  = "weaver.finding.signal.type"
	findingName    = "weaver.finding.signal.name"
	findingService = "weaver.finding.resource.attribute.service.name"
	findingContext = "weaver.finding.context."
)

// weaverSignals are Weaver's names of signals, by ours. Attributes are of any.
var weaverSignals = map[string]string{"metrics": "metric", "traces": "span", "logs": "log"}

// records are what was found since the last report as log records.
func records(r *Report, resource pcommon.Resource) plog.Logs {
	ld := plog.NewLogs()
	rl := ld.ResourceLogs().AppendEmpty()
	resource.CopyTo(rl.Resource())
	sl := rl.ScopeLogs().AppendEmpty()
	sl.Scope().SetName(metadata.ScopeName)
	to := sl.LogRecords()
	for i := range r.Findings {
		if r.Findings[i].Count > 0 {
			r.Findings[i].record(to.AppendEmpty(), r.At)
		}
	}
	return ld
}

func (f *Finding) record(to plog.LogRecord, at time.Time) {
	to.SetTimestamp(pcommon.NewTimestampFromTime(at))
	to.SetObservedTimestamp(to.Timestamp())
	to.SetEventName(findingEvent)
	to.SetSeverityNumber(severities[f.Level])
	to.SetSeverityText(severities[f.Level].String())
	to.SetTraceID(f.example)
	to.Body().SetStr(f.message())
	attrs := to.Attributes()
	attrs.PutStr(findingID, f.Rule)
	attrs.PutStr(findingLevel, f.Level)
	attrs.PutStr(findingSample, kindTexts[f.row.kind].sample)
	put := func(key, value string) {
		if value != "" {
			attrs.PutStr(key, value)
		}
	}
	put(findingSignal, weaverSignals[f.Signal])
	if f.row.kind != kindAttribute {
		put(findingName, f.Original)
	}
	put(findingService, f.Service)
	put(findingContext+"original", f.Original)
	put(findingContext+"suggestion", f.Suggestion)
	put(findingContext+"reason", f.Reason)
	put(findingContext+"system", f.System)
	put(findingContext+"yaml", f.Paste)
	put(findingContext+"trace_id", f.TraceID)
	attrs.PutInt(findingContext+"count", f.Count)
	attrs.PutStr(findingContext+"since", f.Since.UTC().Format(time.RFC3339))
}

// severities are those that Weaver gives its levels.
var severities = map[string]plog.SeverityNumber{
	levelViolation:   plog.SeverityNumberError,
	levelImprovement: plog.SeverityNumberWarn,
	levelInformation: plog.SeverityNumberInfo,
}

// message is for a person. Names are quoted, whatever is in them.
func (f *Finding) message() string {
	what := fmt.Sprintf("%s %q", kindTexts[f.row.kind].sample, f.Original)
	if f.Suggestion != "" {
		what += fmt.Sprintf(" -> %q", f.Suggestion)
	}
	who := f.Service
	if who == "" {
		who = f.System
	}
	return fmt.Sprintf("%s of %q: %s (%d times)", what, who, f.Reason, f.Count)
}
