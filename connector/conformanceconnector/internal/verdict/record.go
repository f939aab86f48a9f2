// SPDX-License-Identifier: Apache-2.0

package verdict

import (
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-tc/otelcol-tc/connector/conformanceconnector/internal/report"
	"github.com/otelcol-tc/otelcol-tc/internal/tracecontext"
)

// Uncorrelated returns why a record has no trace id, and the trace id in its attributes. fields are the
// attributes that may contain it, or nil.
func Uncorrelated(span pcommon.SpanID, fields *tracecontext.Fields) (r *report.Rule, suggestion string, trace pcommon.TraceID) {
	if !span.IsEmpty() {
		return report.RuleSpanWithoutTrace, "", trace
	}
	if fields != nil {
		if ids, ok := fields.Decide(); ok && !ids.TraceID.IsEmpty() {
			return report.RuleIDsInAttributes, "put the log_correlation processor before this connector", ids.TraceID
		}
	}
	return report.RuleNoTrace, "", trace
}
