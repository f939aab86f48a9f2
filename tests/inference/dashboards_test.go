// SPDX-License-Identifier: Apache-2.0

package inference

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/prometheus/promql/parser"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-tc/otelcol-tc/conventions"
	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
	"github.com/otelcol-tc/otelcol-tc/tests/dashboards"
	"github.com/otelcol-tc/otelcol-tc/tests/payload"
	"github.com/otelcol-tc/otelcol-tc/tests/servers"
	"github.com/otelcol-tc/otelcol-tc/tests/tcgen/scenario"
)

// dashboardRounds is how often all systems send while Prometheus reads the page.
const dashboardRounds = 3

// TestDashboards reads a collector's page with a real Prometheus, while engines and GenAI clients send. Each query
// of the dashboard Inference has data for each engine that measures what it asks for, and each of the dashboard
// GenAI has data.
func TestDashboards(t *testing.T) {
	t.Parallel()
	engines := engines(t)
	targets := serveTargets(t, engines)
	c := collectortest.Start(t, collectortest.Options{Env: environment(t, targets, 2*time.Second)})
	p := servers.StartPrometheus(t, map[string]*collectortest.Collector{"dev": c})
	p.Targets += len(targets) // the collector's page has the series up of each
	for round := range dashboardRounds {
		for _, s := range targets {
			s.next(t)
		}
		sendGenAI(t, c, round)
		awaitScrapes(t, targets)
		p.AwaitScrapes(t)
	}
	files := dashboards.Files(t)
	for _, file := range []string{"inference.json", "genai.json"} {
		t.Run(file, func(t *testing.T) { files[file].CheckShown(t, p, file) })
	}
	for _, engine := range engines {
		t.Run(engine, func(t *testing.T) { checkEngine(t, p, files["inference.json"], packOf(t, engine)) })
	}
	t.Run("alerts", func(t *testing.T) {
		for _, rule := range dashboards.AlertRules(t) {
			if rule.Group == "inference" && rule.Alert != "" {
				dashboards.CheckEmitted(t, p, withoutTargets(dashboards.Parse(t, rule.Expr)))
			}
		}
	})
}

// engines returns the scraped systems whose packs make canonical metrics.
func engines(t *testing.T) []string {
	t.Helper()
	var all []string
	for _, system := range append(scenario.Names(), scenario.KeptNames()...) {
		generator, err := scenario.New(system, 1, time.Now())
		require.NoError(t, err)
		if generator.Gatherer() != nil && slices.ContainsFunc(packOf(t, system).Metrics.Also, func(rule conventions.AlsoRule) bool { return rule.Set["tc.engine"] != "" }) {
			all = append(all, system)
		}
	}
	return all
}

// checkEngine checks that each query has data for an engine, unless its pack makes none of a metric in it.
func checkEngine(t *testing.T, p *servers.Prometheus, d dashboards.Dashboard, pack *conventions.Pack) {
	t.Helper()
	made := map[string]bool{}
	for _, rule := range pack.Metrics.Also {
		made[strings.ReplaceAll(rule.Name, ".", "_")] = true
	}
	var missing []string
	for _, panel := range d.Panels {
		for _, query := range panel.Targets {
			expression := dashboards.Expression(query.Expr, "$engine", pack.System)
			needed := namesIn(dashboards.Parse(t, expression))
			switch {
			case slices.ContainsFunc(needed, func(name string) bool { return !made[name] }):
				missing = append(missing, panel.Title)
			case !strings.Contains(query.Expr, "finish_reason!="): // no engine fails here
				dashboards.CheckShown(t, p, expression, "", panel.Title+" for "+pack.System+": "+expression)
			}
		}
	}
	t.Logf("%s does not measure: %q", pack.System, slices.Compact(missing))
}

var suffixes = regexp.MustCompile(`(_seconds)?(_bucket|_sum|_count|_total)?$`)

// namesIn returns the canonical metrics that an expression asks for, with underscores.
func namesIn(expression parser.Expr) []string {
	var names []string
	parser.Inspect(expression, func(node parser.Node, _ []parser.Node) error {
		if selector, ok := node.(*parser.VectorSelector); ok && selector.Name != "target_info" {
			names = append(names, suffixes.ReplaceAllString(selector.Name, ""))
		}
		return nil
	})
	return names
}

// withoutTargets leaves the recorded target of an alert out: no rules run in this Prometheus.
func withoutTargets(expression parser.Expr) parser.Expr {
	if binary, ok := expression.(*parser.BinaryExpr); ok {
		if selector, ok := binary.RHS.(*parser.VectorSelector); ok && strings.Contains(selector.Name, ":") {
			return binary.LHS
		}
	}
	return expression
}

// sendGenAI sends operations of a service that sends only spans, and the metrics of one that measures itself: one
// operation of each kind in a round.
func sendGenAI(t *testing.T, c *collectortest.Collector, round int) {
	t.Helper()
	sent := payload.Read(t, "testdata/genai", time.Now())
	for span := range collectortest.SpansOf(sent.Traces) {
		span.SetTraceID(pcommon.TraceID{9, byte(round)})
	}
	for metric := range collectortest.AllMetrics(sent.Metrics) {
		for _, point := range metric.Histogram().DataPoints().All() {
			point.SetCount(uint64(round + 1))
			point.SetSum(float64(round + 1))
			point.BucketCounts().FromRaw([]uint64{uint64(round + 1), 0, 0})
		}
	}
	collectortest.PostTraces(t, c, sent.Traces)
	collectortest.PostMetrics(t, c, sent.Metrics)
}
