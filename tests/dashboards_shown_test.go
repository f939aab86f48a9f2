package tests

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// checkDashboards checks that every expression shows something.
func checkDashboards(t *testing.T, p *prometheusServer) {
	t.Helper()
	for file, d := range dashboards(t) {
		for _, v := range d.Templating.List {
			if v.Type == "query" {
				checkVariable(t, p, v.Query)
			}
		}
		for _, panel := range d.Panels {
			for _, asked := range panel.Targets {
				where := fmt.Sprintf("%s, %q: %s", file, panel.Title, asked.Expr)
				expression := expressionOf(asked.Expr)
				checkEmitted(t, p, parse(t, expression))
				checkShown(t, query[model.Vector](t, p, expression, time.Now()), asked.LegendFormat, where)
			}
		}
	}
}

// checkVariable checks that label_values(metric, label) has values.
func checkVariable(t *testing.T, p *prometheusServer, values string) {
	t.Helper()
	parts := regexp.MustCompile(`^label_values\((.+), (\w+)\)$`).FindStringSubmatch(values)
	require.Len(t, parts, 3, values)
	assert.True(t, anyHas(query[model.Vector](t, p, parts[1], time.Now()), parts[2]), values)
}

// checkShown checks that there is a value, and what the legend names.
func checkShown(t *testing.T, shown model.Vector, legend, where string) {
	t.Helper()
	values := slices.DeleteFunc(shown, func(sample *model.Sample) bool { return math.IsNaN(float64(sample.Value)) })
	if !assert.NotEmpty(t, values, where) {
		return
	}
	for _, label := range regexp.MustCompile(`{{(\w+)}}`).FindAllStringSubmatch(legend, -1) {
		assert.True(t, anyHas(values, label[1]), "%s: no label %s", where, label[1])
	}
}

func anyHas(samples model.Vector, label string) bool {
	return slices.ContainsFunc(samples, func(sample *model.Sample) bool { return sample.Metric[model.LabelName(label)] != "" })
}

// checkEmitted checks that there are series for every selector of an expression, and that
// they have the labels that the expression goes by: one that no series has does nothing.
func checkEmitted(t *testing.T, p *prometheusServer, expression parser.Expr) {
	t.Helper()
	parser.Inspect(expression, func(node parser.Node, _ []parser.Node) error {
		switch n := node.(type) {
		case *parser.VectorSelector:
			assert.NotEmpty(t, selected(t, p, n), "no series for %s", n)
		case *parser.AggregateExpr:
			checkLabels(t, p, n.Expr, n.Grouping)
		case *parser.BinaryExpr:
			if n.VectorMatching != nil {
				checkLabels(t, p, n, n.VectorMatching.MatchingLabels)
			}
		}
		return nil
	})
}

// checkLabels checks that some series below an expression has each label.
func checkLabels(t *testing.T, p *prometheusServer, below parser.Expr, labels []string) {
	t.Helper()
	var series model.Vector
	parser.Inspect(below, func(node parser.Node, _ []parser.Node) error {
		if selector, ok := node.(*parser.VectorSelector); ok {
			series = append(series, selected(t, p, selector)...)
		}
		return nil
	})
	for _, label := range labels {
		assert.True(t, anyHas(series, label), "no series of %s has the label %s", below, label)
	}
}

// selected returns the series of a selector now, whatever offset it has.
func selected(t *testing.T, p *prometheusServer, selector *parser.VectorSelector) model.Vector {
	t.Helper()
	now := &parser.VectorSelector{Name: selector.Name, LabelMatchers: selector.LabelMatchers}
	return query[model.Vector](t, p, now.String(), time.Now())
}
