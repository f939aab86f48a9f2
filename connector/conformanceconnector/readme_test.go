package conformanceconnector

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-tc/otelcol-tc/connector/conformanceconnector/internal/report"
)

// TestReadme checks that README.md contains every metric and rule.
func TestReadme(t *testing.T) {
	text, err := os.ReadFile("README.md")
	require.NoError(t, err)
	readme := string(text)
	r := report.Report{
		Services:     []report.Service{{Name: "a", Scores: []report.Score{{Signal: "traces"}}}},
		Counts:       []report.Count{{}},
		Expectations: []report.Expectation{{Edges: []report.ExpectedEdge{{Traces: 1}}}},
		Skews:        []report.Skew{{}},
		Links:        []report.Link{{}},
		Limits:       []report.Limit{{}},
	}
	metrics := scores(&r, pcommon.NewResource()).ResourceMetrics().At(0).ScopeMetrics().At(0).Metrics()
	assert.Equal(t, 17, metrics.Len())
	for _, m := range metrics.All() {
		assert.Contains(t, readme, "\n| `"+m.Name()+"` | ")
	}
	for _, rule := range report.Rules {
		assert.Contains(t, readme, "| `"+rule.ID+"` | "+rule.Level+" |")
	}
	for _, l := range report.LimitTexts {
		assert.Contains(t, readme, "`"+l+"`")
	}
}
