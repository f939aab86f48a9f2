// SPDX-License-Identifier: Apache-2.0

package protect

import (
	"fmt"
	"testing"

	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-tc/otelcol-tc/conventions/content"
)

// BenchmarkTraces walks spans without content, of 10 attributes each.
func BenchmarkTraces(b *testing.B) {
	const spans = 512
	td := ptrace.NewTraces()
	all := td.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans()
	for range spans {
		span := all.AppendEmpty()
		span.SetName("GET /v1/users/{id}")
		for i := range 10 {
			span.Attributes().PutStr(fmt.Sprintf("http.request.attribute.number_%d", i), "a usual value")
		}
	}
	w := New(content.New(content.Config{}, nil), func(*content.Rule, content.Action, int64) {})
	b.ReportAllocs()
	for b.Loop() {
		w.Traces(td)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/spans, "ns/span")
}
