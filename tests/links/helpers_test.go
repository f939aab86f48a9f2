// SPDX-License-Identifier: Apache-2.0

package links

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
	"github.com/otelcol-tc/otelcol-tc/tests/tcgen/judge"
	"github.com/otelcol-tc/otelcol-tc/tests/tcgen/scenario"
)

// linking are the settings, each a YAML map, of a collector that links.
type linking struct {
	index  string // of correlation_index
	spans  string // of span_link
	logs   string // of log_correlation
	naming bool
	more   []string // further configurations
	args   []string
}

// options is builtin:dev with links.
func (l linking) options() collectortest.Options {
	before := "memory_limiter"
	if l.naming {
		before += ", naming"
	}
	config := fmt.Sprintf(`yaml:{
  extensions: {correlation_index: {%s}},
  processors: {span_link: {%s}, log_correlation: {index: correlation_index, %s}},
  service: {extensions: [health_check, conventions, wire_limits, correlation_index], pipelines: {
    traces: {processors: [%[4]s, span_link]}, logs: {processors: [%[4]s, log_correlation]}}}}`,
		l.index, l.spans, l.logs, before)
	return collectortest.Options{Configs: slices.Concat([]string{"builtin:dev", config}, l.more), Args: l.args}
}

func (l linking) start(t *testing.T) *collectortest.Collector {
	t.Helper()
	return collectortest.Start(t, l.options())
}

// awaitSpan waits until a span came out.
func awaitSpan(t *testing.T, c *collectortest.Collector, ref scenario.SpanRef) ptrace.Span {
	t.Helper()
	var found ptrace.Span
	collectortest.Eventually(t, collectortest.ArrivalTimeout, func() (bool, string) {
		for span := range collectortest.SpansOf(c.Traces(t)) {
			if collectortest.SpanRef(span) == ref {
				found = span
				return true, ""
			}
		}
		return false, fmt.Sprintf("span %v not written", ref)
	})
	return found
}

// allDerivedLinks returns those of all spans.
func allDerivedLinks(traces ptrace.Traces) []judge.Link {
	var all []judge.Link
	for span := range collectortest.SpansOf(traces) {
		all = append(all, judge.DerivedLinks(span)...)
	}
	return all
}

// awaitLink waits until a span came out and checks that it has one derived link.
func awaitLink(t *testing.T, c *collectortest.Collector, on scenario.SpanRef, want judge.Link) {
	t.Helper()
	assert.Equal(t, []judge.Link{want}, judge.DerivedLinks(awaitSpan(t, c, on)))
}

// backward is what the later of two jobs carries.
func backward(rule string, earlier, later scenario.SpanRef) judge.Link {
	return judge.Link{Earlier: earlier, Later: later, Rule: rule, Evidence: "span"}
}
