package verdict

import (
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-tc/otelcol-tc/connector/conformanceconnector/internal/report"
	"github.com/otelcol-tc/otelcol-tc/internal/tracecontext"
)

// Uncorrelated returns why a record has no trace id, and the trace that its attributes name.
// fields are those attributes that may name one, or nil.
func Uncorrelated(span pcommon.SpanID, fields *tracecontext.Fields) (r *report.Rule, suggestion string, trace pcommon.TraceID) {
	if !span.IsEmpty() {
		return report.RuleSpanWithoutTrace, "", trace
	}
	if fields != nil {
		if ids, ok := fields.Decide(); ok && !ids.TraceID.IsEmpty() {
			return report.RuleIDsInAttributes, "put the log_correlation processor before", ids.TraceID
		}
	}
	return report.RuleNoTrace, "", trace
}
