// SPDX-License-Identifier: Apache-2.0

package dashboards

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

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
	"github.com/otelcol-tc/otelcol-tc/tests/servers"
)

// CheckShown checks that each expression and each variable of a file shows something.
func (d Dashboard) CheckShown(t *testing.T, p *servers.Prometheus, file string) {
	t.Helper()
	for _, v := range d.Templating.List {
		if v.Type == "query" {
			CheckVariable(t, p, v.Query)
		}
	}
	for _, panel := range d.Panels {
		for _, asked := range panel.Targets {
			expression := Expression(asked.Expr)
			CheckEmitted(t, p, Parse(t, expression))
			CheckShown(t, p, expression, asked.LegendFormat, fmt.Sprintf("%s, %q: %s", file, panel.Title, asked.Expr))
		}
	}
}

// CheckVariable checks that label_values(metric, label) has values.
func CheckVariable(t *testing.T, p *servers.Prometheus, values string) {
	t.Helper()
	parts := regexp.MustCompile(`^label_values\((.+), (\w+)\)$`).FindStringSubmatch(values)
	require.Len(t, parts, 3, values)
	assert.True(t, anyHas(soFar(t, p, parts[1]), parts[2]), values)
}

// CheckShown checks that there is a value, and what the legend names. A scrape that comes too
// late on a busy machine leaves nothing to show until the next one.
func CheckShown(t *testing.T, p *servers.Prometheus, expression, legend, where string) {
	t.Helper()
	var values model.Vector
	collectortest.Eventually(t, collectortest.ArrivalTimeout, func() (bool, string) {
		shown := servers.Query[model.Vector](t, p, expression, time.Now())
		values = slices.DeleteFunc(shown, func(sample *model.Sample) bool { return math.IsNaN(float64(sample.Value)) })
		return len(values) > 0, where + " shows nothing"
	})
	for _, label := range regexp.MustCompile(`{{(\w+)}}`).FindAllStringSubmatch(legend, -1) {
		assert.True(t, anyHas(values, label[1]), "%s: no label %s", where, label[1])
	}
}

func anyHas(samples model.Vector, label string) bool {
	return slices.ContainsFunc(samples, func(sample *model.Sample) bool { return sample.Metric[model.LabelName(label)] != "" })
}

// CheckEmitted checks that there are series for every selector of an expression, and that
// they have the labels that the expression goes by: one that no series has does nothing.
func CheckEmitted(t *testing.T, p *servers.Prometheus, expression parser.Expr) {
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
func checkLabels(t *testing.T, p *servers.Prometheus, below parser.Expr, labels []string) {
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

// selected returns the series of a selector, whatever offset it has.
func selected(t *testing.T, p *servers.Prometheus, selector *parser.VectorSelector) model.Vector {
	t.Helper()
	plain := &parser.VectorSelector{Name: selector.Name, LabelMatchers: selector.LabelMatchers}
	return soFar(t, p, plain.String())
}

// soFar returns the series that a selector has had in the test.
func soFar(t *testing.T, p *servers.Prometheus, selector string) model.Vector {
	t.Helper()
	return servers.Query[model.Vector](t, p, "last_over_time("+selector+servers.LookBack+")", time.Now())
}
