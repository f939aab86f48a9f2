// SPDX-License-Identifier: Apache-2.0

package tcgen

import (
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
	"github.com/otelcol-tc/otelcol-tc/tests/tcgen/judge"
)

// WithoutDerived returns a copy of spans as they were before the collector linked them.
func WithoutDerived(traces ptrace.Traces) ptrace.Traces {
	plain := ptrace.NewTraces()
	traces.CopyTo(plain)
	for span := range collectortest.SpansOf(plain) {
		span.Links().RemoveIf(func(link ptrace.SpanLink) bool { return judge.LinkRule(link) != "" })
	}
	return plain
}
