// SPDX-License-Identifier: Apache-2.0

package packs

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/internal/conformance"
	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
	"github.com/otelcol-tc/otelcol-tc/tests/payload"
)

const service = "orchard-press"

// soon makes the connector report each second.
const soon = "yaml:connectors: {conformance: {interval: 1s}}"

// A draft of a service that no pack owns is a valid pack. With it, all of the service's telemetry conforms but
// for what the draft lists as undecided.
func TestDraftAdoptsAService(t *testing.T) {
	t.Parallel()
	before := collectortest.Start(t, collectortest.Options{Configs: []string{"builtin:dev", soon}})
	send(t, before)
	report := judged(t, before)
	require.Zero(t, score(report, "metrics").Owned.Checked, "no pack owns the service")
	require.Positive(t, score(report, "traces").Unowned.Checked)
	assert.Contains(t, metricNames(t, before), "orchard.trees.planted", "the service's names pass")

	result := collectortest.Run(t, "pack", "draft", "--from", "http://"+before.Page, "--service", service)
	require.Zero(t, result.Code, result.Stderr)
	draft := result.Stdout
	t.Log(draft)
	file := collectortest.WriteFile(t, "orchard.yaml", draft)
	result = collectortest.Run(t, "pack", "check", file)
	require.Equal(t, []any{0, file + ": no problems\n"}, []any{result.Code, result.Stdout}, result.Stderr)
	assert.Contains(t, draft, "{key: tree_id, id: true}")
	_, undecided, _ := strings.Cut(draft, "# Undecided:")
	assert.Contains(t, undecided, `"***"`, "a name that cannot be made conformant")
	assert.Contains(t, undecided, "orchard_baskets_total", "a gauge with the name of a counter")

	adopted := fmt.Sprintf("yaml:{extensions: {conventions: {packs: [%q, builtin]}}, service: {extensions: [health_check, wire_limits, correlation_index, conventions]}}", file)
	after := collectortest.Start(t, collectortest.Options{Configs: []string{"builtin:dev", soon, adopted}})
	send(t, after)
	report = judged(t, after)
	open := map[string]int64{} // items of names that are not conformant, by signal
	for _, f := range report.Findings {
		if f.Service == service && f.Level == "violation" {
			open[f.Signal] += f.Total
			assert.Contains(t, undecided, f.Original, "%s of a %s: %s", f.Rule, f.Signal, f.Reason)
		}
	}
	for _, signal := range []string{"metrics", "traces", "logs", "attributes"} {
		s := score(report, signal)
		assert.Zero(t, s.Unowned.Checked, signal)
		assert.Positive(t, s.Conformant, signal)
		assert.Equal(t, s.Checked-open[signal], s.Conformant, "%s: %+v", signal, open)
	}
	assert.Zero(t, open["traces"])
	assert.Zero(t, open["logs"])
	names := metricNames(t, after)
	assert.Contains(t, names, "tc_orchard_trees_planted")
	assert.NotContains(t, names, "orchard.trees.planted")
	assert.Contains(t, names, "***")
}

// score returns the score of a signal of the service.
func score(report *conformance.Report, signal string) conformance.Score {
	for _, s := range report.Service(service).Scores {
		if s.Signal == signal {
			return s
		}
	}
	return conformance.Score{}
}

// judged returns the report when it has all that was sent.
func judged(t *testing.T, c *collectortest.Collector) *conformance.Report {
	t.Helper()
	var report *conformance.Report
	collectortest.Eventually(t, collectortest.ArrivalTimeout, func() (bool, string) {
		report = collectortest.ConformanceReport(t, c)
		if report.Service(service) == nil {
			return false, "no service"
		}
		m, s, l := score(report, "metrics").Checked, score(report, "traces").Checked, score(report, "logs").Checked
		return m >= metrics && s >= spans && l >= logs, fmt.Sprint(m, s, l)
	})
	return report
}

// The numbers of items that send sends.
const (
	trees   = 300
	metrics = 7
	spans   = 6
	logs    = 2
)

// send sends what the invented service sends.
func send(t *testing.T, c *collectortest.Collector) {
	t.Helper()
	sent := payload.Read(t, "testdata/orchard", time.Now())
	planted := sent.Metrics.ResourceMetrics().At(0).ScopeMetrics().At(0).Metrics().At(0).Sum().DataPoints()
	for planted.Len() < trees {
		planted.At(0).CopyTo(planted.AppendEmpty())
		planted.At(planted.Len()-1).Attributes().PutStr("tree_id", uuid.NewString())
	}
	sent.Post(t, c)
}

// metricNames returns the names of the metrics that arrived.
func metricNames(t *testing.T, c *collectortest.Collector) (names []string) {
	t.Helper()
	for m := range collectortest.AllMetrics(c.Metrics(t)) {
		names = append(names, m.Name())
	}
	return names
}
