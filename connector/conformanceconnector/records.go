// SPDX-License-Identifier: Apache-2.0

package conformanceconnector

import (
	"fmt"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/otelcol-tc/otelcol-tc/connector/conformanceconnector/internal/metadata"
	"github.com/otelcol-tc/otelcol-tc/connector/conformanceconnector/internal/report"
	"github.com/otelcol-tc/otelcol-tc/internal/conformance"
)

// The names are those of OpenTelemetry Weaver's live check, so that its tools can read the findings.
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

// weaverSignals are Weaver's names for our signals. Attributes have no signal.
var weaverSignals = map[string]string{"metrics": "metric", "traces": "span", "logs": "log"}

// records returns the findings since the last report as log records.
func records(r *report.Report, resource pcommon.Resource) plog.Logs {
	ld := plog.NewLogs()
	rl := ld.ResourceLogs().AppendEmpty()
	resource.CopyTo(rl.Resource())
	sl := rl.ScopeLogs().AppendEmpty()
	sl.Scope().SetName(metadata.ScopeName)
	to := sl.LogRecords()
	for i := range r.Findings {
		if r.Findings[i].Count > 0 {
			writeRecord(&r.Findings[i], r.Rows[i].Kind, to.AppendEmpty(), r.At)
		}
	}
	return ld
}

func writeRecord(f *conformance.Finding, kind report.Kind, to plog.LogRecord, now time.Time) {
	to.SetTimestamp(pcommon.NewTimestampFromTime(now))
	to.SetObservedTimestamp(to.Timestamp())
	to.SetEventName(findingEvent)
	to.SetSeverityNumber(severities[f.Level])
	to.SetSeverityText(severities[f.Level].String())
	to.SetTraceID(report.TraceID(f))
	to.Body().SetStr(message(f, kind))
	attrs := to.Attributes()
	attrs.PutStr(findingID, f.Rule)
	attrs.PutStr(findingLevel, f.Level)
	attrs.PutStr(findingSample, kind.Sample())
	put := func(key, value string) {
		if value != "" {
			attrs.PutStr(key, value)
		}
	}
	put(findingSignal, weaverSignals[f.Signal])
	if kind != report.KindAttribute {
		put(findingName, f.Original)
	}
	put(findingService, f.Service)
	put(findingContext+"original", f.Original)
	put(findingContext+"suggestion", f.Suggestion)
	put(findingContext+"reason", f.Reason)
	put(findingContext+"action", f.Action)
	put(findingContext+"system", f.System)
	put(findingContext+"yaml", f.Paste)
	put(findingContext+"trace_id", f.TraceID)
	if f.Unowned {
		attrs.PutBool(findingContext+"unowned", true)
	}
	attrs.PutInt(findingContext+"count", f.Count)
	attrs.PutStr(findingContext+"since", f.Since.UTC().Format(time.RFC3339))
}

// severities are Weaver's severities for its levels.
var severities = map[string]plog.SeverityNumber{
	conformance.LevelViolation:   plog.SeverityNumberError,
	conformance.LevelImprovement: plog.SeverityNumberWarn,
	conformance.LevelInformation: plog.SeverityNumberInfo,
}

// message returns a readable text. Names are quoted, because they may contain any character.
func message(f *conformance.Finding, kind report.Kind) string {
	what := fmt.Sprintf("%s %q", kind.Sample(), f.Original)
	if f.Suggestion != "" {
		what += fmt.Sprintf(" -> %q", f.Suggestion)
	}
	who := f.Service
	if who == "" {
		who = f.System
	}
	reason := f.Reason
	if f.Unowned {
		reason += "; no pack owns it, so it stays until the service is adopted"
	}
	return fmt.Sprintf("%s of %q: %s (%d times)", what, who, reason, f.Count)
}
