package conformanceconnector

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
)

// README.md names every metric and rule.
func TestReadme(t *testing.T) {
	text, err := os.ReadFile("README.md")
	require.NoError(t, err)
	readme := string(text)
	r := Report{
		Services:     []Service{{Name: "a", Scores: []Score{{Signal: "traces"}}}},
		Counts:       []Count{{}},
		Expectations: []Expectation{{Edges: []Edge{{Traces: 1}}}},
		Skews:        []Skew{{}},
		Links:        []Link{{}},
		Limits:       []Limit{{}},
	}
	metrics := scores(&r, pcommon.NewResource()).ResourceMetrics().At(0).ScopeMetrics().At(0).Metrics()
	assert.Equal(t, 17, metrics.Len())
	for _, m := range metrics.All() {
		assert.Contains(t, readme, "\n| `"+m.Name()+"` | ")
	}
	for _, rule := range []*rule{
		ruleRenamed, ruleNoTrace, ruleIDsInAttributes, ruleSpanWithoutTrace, ruleMissingParent, ruleStartsBefore, ruleEndsAfter, ruleClockSkew,
		ruleBrokenEdge, ruleOverBudget, ruleNearBudget, ruleMissingMetric, ruleMissingComponent, ruleMissingEdge,
	} {
		assert.Contains(t, readme, "| `"+rule.id+"` | "+rule.level+" |")
	}
	for _, l := range limitTexts {
		assert.Contains(t, readme, "`"+l+"`")
	}
}
