// SPDX-License-Identifier: Apache-2.0

package bystander

import (
	"slices"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

// lengths begins the keys of the lengths of what was protected.
const lengths = "tc.content.length."

// withoutContent returns spans without protected attributes and their lengths.
func withoutContent(traces ptrace.Traces) ptrace.Traces {
	for span := range collectortest.SpansOf(traces) {
		span.Attributes().RemoveIf(func(key string, _ pcommon.Value) bool {
			return slices.Contains(protected, key) || strings.HasPrefix(key, lengths)
		})
	}
	return traces
}

// withoutAdded removes the gen_ai attributes that packs have added to spans. Sent are the spans as they were.
func withoutAdded(sent, got ptrace.Traces) ptrace.Traces {
	before := map[pcommon.SpanID]pcommon.Map{}
	for span := range collectortest.SpansOf(sent) {
		before[span.SpanID()] = span.Attributes()
	}
	for span := range collectortest.SpansOf(got) {
		span.Attributes().RemoveIf(func(key string, _ pcommon.Value) bool {
			_, sent := before[span.SpanID()].Get(key)
			return !sent && strings.HasPrefix(key, "gen_ai.")
		})
	}
	return got
}
