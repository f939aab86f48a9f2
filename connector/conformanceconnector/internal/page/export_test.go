// SPDX-License-Identifier: Apache-2.0

package page

import (
	"encoding/csv"
	"encoding/json"
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/connector/conformanceconnector/internal/report"
	"github.com/otelcol-tc/otelcol-tc/internal/conformance"
)

// exported returns the rows of an export, each by the names of its columns.
func exported(t *testing.T, of *conformance.Report, path string) []map[string]string {
	t.Helper()
	answer := ask(t, NewHandler(func() *report.Report { return &report.Report{Report: *of} }), http.MethodGet, apiPath+path)
	require.Equal(t, http.StatusOK, answer.Code)
	assert.Equal(t, "text/csv; charset=utf-8", answer.Header().Get("Content-Type"))
	assert.Contains(t, answer.Header().Get("Content-Disposition"), "attachment")
	lines, err := csv.NewReader(answer.Body).ReadAll()
	require.NoError(t, err)
	rows := []map[string]string{}
	for _, line := range lines[1:] {
		row := map[string]string{}
		for i, cell := range line {
			row[lines[0][i]] = cell
		}
		rows = append(rows, row)
	}
	return rows
}

func TestFindingsExport(t *testing.T) {
	since := time.Date(2026, 11, 23, 7, 0, 0, 0, time.UTC)
	of := &conformance.Report{Findings: []conformance.Finding{
		{Rule: "missing_parent", Level: "violation", Signal: "traces", Service: "shop", Original: `GET "/a", b`, TraceID: "ff", Total: 7, Since: since},
		{Rule: "near_budget", Level: "violation", Signal: "metrics", Service: "=cmd|'/c calc'!A1", Original: "line\nbreak"},
		{Rule: "near_budget", Level: "improvement", Signal: "metrics", Service: "shop", Original: "@a", Paste: "-b"},
	}}
	all := exported(t, of, "findings.csv")
	require.Len(t, all, 3)
	assert.Equal(t, `GET "/a", b`, all[0]["original"])
	assert.Equal(t, "ff", all[0]["trace_id"])
	assert.Equal(t, "7", all[0]["total"])
	assert.Equal(t, "2026-11-23T07:00:00Z", all[0]["since"])
	assert.Equal(t, "false", all[0]["name"])
	assert.Equal(t, "'=cmd|'/c calc'!A1", all[1]["service"])
	assert.Equal(t, "line\nbreak", all[1]["original"])
	assert.Equal(t, "'@a", all[2]["original"])
	assert.Equal(t, "'-b", all[2]["paste"])

	// Each column is a field of the JSON.
	text, err := json.Marshal(conformance.Finding{Naming: "x", Service: "x", System: "x", Name: true, Unowned: true, Suggestion: "x", Paste: "x", TraceID: "x"})
	require.NoError(t, err)
	var fields map[string]any
	require.NoError(t, json.Unmarshal(text, &fields))
	for field := range fields {
		assert.Contains(t, all[0], field)
	}

	for query, want := range map[string]int{
		"?service=shop": 2, "?rule=near_budget": 2, "?level=violation": 2, "?signal=traces": 1, "?service=shop&rule=near_budget": 1,
		"?service=nobody": 0, "?service=&rule=": 3, "?service=" + url.QueryEscape("=cmd|'/c calc'!A1"): 1,
	} {
		assert.Len(t, exported(t, of, "findings.csv"+query), want, query)
	}
}

func TestExplorerExport(t *testing.T) {
	of := &conformance.Report{Explorer: conformance.Explorer{Metrics: []conformance.Cost{
		{
			Service: "shop", Name: "+requests", Processor: "cardinality", Limit: 2000,
			In: conformance.Amount{Series: 6000, Points: 12.5, Bytes: 900}, Out: conformance.Amount{Series: 2001},
			Folded: map[string]int{"overflow": 1, "limit": 3999},
			Attributes: []conformance.CostAttribute{
				{Key: "session.id", Values: 6000, Without: 12, Fixes: []conformance.Fix{{Kind: conformance.FixDrop, YAML: "a: b\n", Series: 12}, {Kind: conformance.FixPack}}},
				{Key: "\tmethod", Values: 12, Exact: true, Removed: "pack", Without: 500},
			},
		},
		{Service: "cart", Name: "items"},
	}}}
	rows := exported(t, of, "explorer.csv")
	require.Len(t, rows, 3)
	for column, want := range map[string]string{
		"service": "shop", "name": "'+requests", "processor": "cardinality", "limit": "2000", "in_series": "6000", "out_series": "2001",
		"in_points": "12.5", "folded": `{"limit":3999,"overflow":1}`, "key": "session.id", "values": "6000", "exact": "false", "removed": "",
		"without": "12", "kind": "drop_attributes", "series": "12", "yaml": "a: b\n",
	} {
		assert.Equal(t, want, rows[0][column], column)
	}
	assert.Equal(t, "'\tmethod", rows[1]["key"])
	assert.Equal(t, "pack", rows[1]["removed"])
	assert.Empty(t, rows[1]["kind"])
	assert.Equal(t, "items", rows[2]["name"])
	assert.Empty(t, rows[2]["key"])

	assert.Len(t, exported(t, of, "explorer.csv?service=cart"), 1)
	assert.Len(t, exported(t, of, "explorer.csv?rule=limit"), 2)
	assert.Empty(t, exported(t, of, "explorer.csv?rule=memory"))
}

// TestInert checks that no cell begins like a formula.
func TestInert(t *testing.T) {
	for _, cell := range []string{"=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1"} {
		assert.Equal(t, "'"+cell, inert(cell))
	}
	assert.Equal(t, "a;'=HYPERLINK(1)", inert("a;=HYPERLINK(1)"))
	assert.Equal(t, "'=1\t'+2", inert("=1\t+2"))
	for _, cell := range []string{"", "a=1", "'=1", " x", "é"} {
		assert.Equal(t, cell, inert(cell))
	}
}
