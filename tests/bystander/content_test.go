package bystander

import (
	"slices"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

// withoutContent returns spans without protected attributes, and without what stands beside them under their
// keys, such as their length.
func withoutContent(traces ptrace.Traces) ptrace.Traces {
	for span := range collectortest.SpansOf(traces) {
		span.Attributes().RemoveIf(func(key string, _ pcommon.Value) bool {
			return slices.ContainsFunc(protected, func(of string) bool { return key == of || strings.HasPrefix(key, of+".") })
		})
	}
	return traces
}
