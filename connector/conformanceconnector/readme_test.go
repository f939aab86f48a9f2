// SPDX-License-Identifier: Apache-2.0

package conformanceconnector

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-tc/otelcol-tc/connector/conformanceconnector/internal/report"
	"github.com/otelcol-tc/otelcol-tc/internal/conformance"
)

// TestReadme checks that README.md contains every metric and rule.
func TestReadme(t *testing.T) {
	text, err := os.ReadFile("README.md")
	require.NoError(t, err)
	has := func(row string) {
		t.Helper()
		if !strings.Contains(string(text), row) { // assert.Contains would print all of the text
			t.Errorf("README.md lacks %q", row)
		}
	}
	r := report.Report{Report: conformance.Report{
		Services:     []conformance.Service{{Name: "a", Scores: []conformance.Score{{Signal: "traces", Owned: conformance.Part{Checked: 1}}}}},
		Counts:       []conformance.Count{{}},
		Expectations: []conformance.Expectation{{Edges: []conformance.ExpectedEdge{{Traces: 1}}}},
		Skews:        []conformance.Skew{{}},
		Targets:      []conformance.Target{{}},
		Links:        []conformance.Link{{}},
		Limits:       []conformance.Limit{{}},
	}}
	metrics := scores(&r, pcommon.NewResource()).ResourceMetrics().At(0).ScopeMetrics().At(0).Metrics()
	assert.Equal(t, 21, metrics.Len())
	for _, m := range metrics.All() {
		has("\n| `" + m.Name() + "` | ")
	}
	for _, rule := range report.Rules() {
		if !slices.Contains(report.NamingRules[:], rule) {
			has("| `" + rule.ID + "` | " + rule.Level + " |")
		}
	}
	for _, l := range report.LimitTexts {
		has("`" + l + "`")
	}
}
