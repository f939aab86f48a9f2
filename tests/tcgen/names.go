// SPDX-License-Identifier: Apache-2.0

package tcgen

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-tc/otelcol-tc/tests/tcgen/judge"
)

// OriginalMetricName returns the name that a metric came in with.
func OriginalMetricName(metric pmetric.Metric) string {
	if original, ok := metric.Metadata().Get(OriginalNameKey); ok {
		return original.Str()
	}
	return metric.Name()
}

// OriginalNameKey is where the naming processor keeps a name that it changed:
// an attribute of a span, metadata of a metric.
const OriginalNameKey = "tc.original_name"

// AssertMetricNames checks that names are conformant, or left to their owners.
func AssertMetricNames(t *testing.T, names []string) {
	t.Helper()
	assert.Empty(t, bad(names, judge.MetricName), "metric names that are neither conformant nor exempt")
}

// bad returns the names that are not right.
func bad(names []string, right func(string) bool) (bad []string) {
	for _, name := range names {
		if !right(name) {
			bad = append(bad, name)
		}
	}
	slices.Sort(bad)
	return slices.Compact(bad)
}

// AssertPageNames checks a Prometheus page, where the exporter added units and
// _total to names: nothing may stand twice.
func AssertPageNames(t *testing.T, names []string) {
	t.Helper()
	AssertMetricNames(t, names)
	for _, name := range names {
		parts := strings.Split(name, "_")
		n := len(parts)
		assert.False(t, n > 1 && parts[n-1] == parts[n-2], "suffix doubled in %s", name)
		assert.False(t, n > 3 && slices.Equal(parts[n-2:], parts[n-4:n-2]), "suffix doubled in %s", name)
		assert.False(t, strings.HasPrefix(name, "tc_tc_"), "prefix doubled in %s", name)
	}
}

// AssertSpanNames checks that names are conformant, or those of HTTP spans.
func AssertSpanNames(t *testing.T, names []string) {
	t.Helper()
	assert.Empty(t, bad(names, judge.SpanName), "span names that are neither conformant nor exempt")
}

// AssertRenames checks the names that the convention decides, given as original → expected.
func AssertRenames(t *testing.T, want, got map[string]string) {
	t.Helper()
	for original, expected := range want {
		assert.Equal(t, expected, got[original], "name that came out for %s", original)
	}
}
