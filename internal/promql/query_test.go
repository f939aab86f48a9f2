// SPDX-License-Identifier: Apache-2.0

package promql

import (
	"testing"

	"github.com/prometheus/prometheus/promql/parser"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Words have their places in the text with variables.
func TestWords(t *testing.T) {
	const text = `sum by (gpu, "host") (rate(a_total{x=~"$long_name", ${filters}, "y"="1"}[$__rate_interval])) / on (job) group_left (z) {__name__=~"c|d"}`
	q, err := Parse(text)
	require.NoError(t, err)
	placed := func(words ...Word) {
		t.Helper()
		require.NotEmpty(t, words)
		for _, w := range words {
			assert.Equal(t, w.Value, text[w.Start:w.End])
			assert.False(t, w.Variable)
		}
	}
	require.Len(t, q.Selectors, 2)
	first, second := q.Selectors[0], q.Selectors[1]
	assert.Equal(t, "a_total", first.Name)
	placed(first.NameWord)
	require.Len(t, first.Matchers, 3)
	assert.True(t, first.Matchers[0].Text.Variable)
	assert.True(t, first.Matchers[1].IsVariable())
	placed(first.Matchers[0].Label, first.Matchers[0].Operator, first.Matchers[2].Label, first.Matchers[2].Text)
	call, ranged := first.Function()
	assert.True(t, ranged)
	assert.Equal(t, "rate", call.Func.Name)
	assert.Empty(t, second.Name)
	placed(second.Matchers[0].Names()...)

	root := q.Expr.(*parser.BinaryExpr)
	placed(q.Grouping(root.LHS.(*parser.AggregateExpr))...)
	matching, include, ok := q.Matching(root)
	assert.True(t, ok)
	placed(append(matching, include...)...)
	start, end := q.Range(call)
	assert.Equal(t, `rate(a_total{x=~"$long_name", ${filters}, "y"="1"}[$__rate_interval])`, text[start:end])
}

// Sources says from which selectors a result has a label, and Labels which labels it can have.
func TestLabels(t *testing.T) {
	f := func(query, label string, sources []string, labels []string, known bool) {
		t.Helper()
		q, err := Parse(query)
		require.NoError(t, err)
		var got []string
		for _, s := range q.Sources(q.Expr, label) {
			got = append(got, s.Name)
		}
		assert.Equal(t, sources, got, query)
		gotLabels, gotKnown := q.Labels(q.Expr)
		assert.Equal(t, labels, gotLabels, query)
		assert.Equal(t, known, gotKnown, query)
	}
	f(`rate(a[5m])`, "x", []string{"a"}, nil, false)
	f(`sum by (x) (a)`, "x", []string{"a"}, []string{"x"}, true)
	f(`sum by (y) (a)`, "x", nil, []string{"y"}, true)
	f(`sum without (x) (a)`, "x", nil, nil, false)
	f(`topk(3, a)`, "x", []string{"a"}, nil, false)
	f(`a or b`, "x", []string{"a", "b"}, nil, false)
	f(`a and b`, "x", []string{"a"}, nil, false)
	f(`a * on (y) b`, "x", nil, []string{"y"}, true)
	f(`a * on (y) group_left (x) b`, "x", []string{"b"}, nil, false)
	f(`label_replace(a, "x", "$1", "y", "(.*)")`, "x", []string{"label_replace()"}, nil, false)
	f(`absent(a{x="1"})`, "x", []string{"a"}, []string{"x"}, true)
	f(`histogram_quantile(0.9, sum by (le) (a))`, "le", nil, []string{"le"}, true)
}

func TestIsLogQL(t *testing.T) {
	assert.True(t, IsLogQL("{app=\"a\"} |= `error`"))
	assert.False(t, IsLogQL("# it's a | b\nsum(a{b=~\"x|y\"})"))
}
