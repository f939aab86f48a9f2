// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/common/model"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
	"github.com/otelcol-tc/otelcol-tc/tests/dashboards"
	"github.com/otelcol-tc/otelcol-tc/tests/servers"
)

// A real Prometheus reads the pages of a collector that gets what the four systems send,
// and of one that is in every trouble. What the dashboards ask for is there, every alert
// fires for the second collector and resolves, and none fires for the first.
func TestDashboardsAndAlerts(t *testing.T) {
	t.Parallel()
	well, ill := startDemo(t, fmt.Sprintf(judgingSoon, "5m")), startBroken(t)
	server := startMonitoring(t, well, ill)

	want := alertsOf(t, isNotDown)
	var fired []string
	// Enough for all variants of what the systems send; and so many that a slow machine gets there.
	const minRounds, maxRounds = 10, 40
	for round := 0; round < minRounds || round < maxRounds && len(fired) < len(want); round++ {
		well.step(t)
		ill.provoke(t)
		server.AwaitScrapes(t)
		// Some may have fired between two rounds, or before the first one.
		fired = alerts(t, server, hasFired, ill.concerns, isNotDown)
		require.Empty(t, alerts(t, server, firing, well.concerns, isNotDown), "nothing is wrong with this collector")
	}
	assert.Equal(t, want, fired, "alerts that fired")

	t.Run("dashboards", func(t *testing.T) {
		for file, d := range dashboards.Files(t) {
			if !slices.Contains(dashboards.OfEngines, file) {
				d.CheckShown(t, server, file)
			}
		}
	})
	t.Run("alerts", func(t *testing.T) {
		for _, rule := range dashboards.AlertRules(t) {
			if !needsABug(rule) && !rule.OfEngines() {
				dashboards.CheckEmitted(t, server, dashboards.Parse(t, rule.Expr))
			}
		}
	})

	ill.well.Store(true)
	// Those about its start end when it has run for a minute.
	collectortest.Eventually(t, 5*time.Minute, func() (bool, string) {
		left := alerts(t, server, firing, ill.concerns, ends)
		return len(left) == 0, fmt.Sprintf("%q still fire", left)
	})
	well.Stop(t)
	collectortest.Eventually(t, collectortest.ArrivalTimeout, func() (bool, string) {
		active := alerts(t, server, firing, well.concerns, isDown)
		return len(active) == 1, fmt.Sprintf("%q fire", active)
	})
}

// A collector is down when it is stopped. On a busy machine it can also seem so, for
// seconds in place of minutes.
func isDown(rule dashboards.AlertRule) bool { return rule.Alert == "CollectorDown" }

func isNotDown(rule dashboards.AlertRule) bool {
	return !isDown(rule) && !needsABug(rule) && !rule.OfEngines()
}

// ends reports whether an alert resolves with the backend: the broken collector's disk stays full, and its series are
// folded until they are stale.
func ends(rule dashboards.AlertRule) bool {
	return isNotDown(rule) && rule.Alert != "DiskFull" && rule.Alert != "MetricFolded"
}

// needsABug reports whether an alert is about a bug of ours or a damaged disk, which no configuration provokes:
// alerts_test.yaml alone makes it fire.
func needsABug(rule dashboards.AlertRule) bool {
	return slices.Contains([]string{"RequestPanicked", "RequestSetAside", "ItemsSetAside", "QueueDamaged"}, rule.Alert)
}

// monitoring is the configuration of a Prometheus as dashboards/README.md has it.
const monitoring = `
global: {scrape_interval: %[1]s, scrape_timeout: %[1]s, evaluation_interval: %[1]s}
rule_files: [%[2]q]
scrape_configs:
- {job_name: otelcol-tc, static_configs: [{targets: [%[3]q, %[4]q]}]}
- {job_name: otelcol-tc-page, honor_labels: true, static_configs: [{targets: [%[5]q, %[6]q]}]}
`

// startMonitoring runs a Prometheus with the alerts until the test ends.
func startMonitoring(t *testing.T, well *demo, ill *broken) *servers.Prometheus {
	t.Helper()
	// The systems' pages have a series up on the collector's page.
	return startPrometheusWith(t, 4+len(well.pages), func(rules string) string {
		return fmt.Sprintf(monitoring, servers.ScrapeInterval, rules, well.Telemetry, ill.Telemetry, well.Prometheus, ill.Prometheus)
	})
}

// startPrometheus runs a Prometheus with the alerts, which reads one page with the metrics of so many targets.
func startPrometheus(t *testing.T, targets int, page string) *servers.Prometheus {
	t.Helper()
	return startPrometheusWith(t, 1+targets, func(rules string) string {
		return fmt.Sprintf(`
global: {scrape_interval: %[1]s, scrape_timeout: %[1]s, evaluation_interval: %[1]s}
rule_files: [%[2]q]
scrape_configs: [{job_name: otelcol-tc-page, honor_labels: true, static_configs: [{targets: [%[3]q]}]}]
`, servers.ScrapeInterval, rules, page)
	})
}

// startPrometheusWith runs a Prometheus with the alerts until the test ends. It has so many series up.
func startPrometheusWith(t *testing.T, up int, configOf func(rules string) string) *servers.Prometheus {
	t.Helper()
	dir := t.TempDir()
	rules := filepath.Join(dir, "alerts.yaml")
	require.NoError(t, os.WriteFile(rules, []byte(hurried(t)), 0o600))
	return servers.StartPrometheusIn(t, dir, configOf(rules), up)
}

// hurried returns the alerts with seconds in place of minutes, and the limits of the
// broken collector in place of the defaults.
func hurried(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(dashboards.AlertsFile(t))
	require.NoError(t, err)
	rules := string(text)
	for pattern, replacement := range map[string]string{
		`\[\d+m\]`:            "[4s]",
		`offset 5m`:           "offset 4s",
		`< 3600`:              "< 60",
		`offset 30m`:          "offset 8s",
		`for: \d+m`:           "for: 1s",
		`vector\(134217728\)`: fmt.Sprintf("vector(%d)", brokenMemoryMiB*collectortest.MiB/2),
		`vector\(100000\)`:    fmt.Sprintf("vector(%d)", brokenServiceLimit),
		`vector\(67108864\)`:  "vector(400000)",
	} {
		expression := regexp.MustCompile(pattern)
		require.Regexp(t, expression, rules)
		rules = expression.ReplaceAllString(rules, replacement)
	}
	return rules
}

// alertsOf returns the alerts of some rules, sorted.
func alertsOf(t *testing.T, some func(dashboards.AlertRule) bool) []string {
	t.Helper()
	var all []string
	for _, rule := range dashboards.AlertRules(t) {
		if rule.Alert != "" && some(rule) {
			all = append(all, keyOf(rule))
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// keyOf returns an alert's name, and what tells apart the rules of that name.
func keyOf(r dashboards.AlertRule) string {
	key := strings.TrimSpace(r.Alert + " " + r.Labels["signal"] + r.Labels["budget"])
	if isOfSpillover(r) {
		key += " of spillover"
	}
	return key
}

// isOfSpillover reports whether all alerts of a rule are about a spillover connector, which their summary names.
func isOfSpillover(r dashboards.AlertRule) bool {
	summary := r.Annotations["summary"]
	return strings.Contains(summary, "$labels.connector") && !strings.Contains(summary, "$labels.exporter")
}

// fires reports whether an alert with such labels is one of the rule's.
func fires(r dashboards.AlertRule, labels map[string]string) bool {
	if isOfSpillover(r) && labels["connector"] == "" {
		return false
	}
	for name, value := range r.Labels {
		if labels[name] != value {
			return false
		}
	}
	return r.Alert != "" && labels["alertname"] == r.Alert
}

// Which alerts fire, and which have fired so far.
const (
	firing   = `ALERTS{alertstate="firing"}`
	hasFired = "last_over_time(" + firing + servers.LookBack + ")"
)

// alerts returns those of some rules that an expression has and that concern a collector, sorted.
func alerts(t *testing.T, p *servers.Prometheus, expression string, concerns func(labels map[string]string) bool, some func(dashboards.AlertRule) bool) []string {
	t.Helper()
	var found []map[string]string
	for _, alert := range servers.Query[model.Vector](t, p, expression, time.Now()) {
		labels := map[string]string{}
		for name, value := range alert.Metric {
			labels[string(name)] = string(value)
		}
		found = append(found, labels)
	}
	return alertsOf(t, func(rule dashboards.AlertRule) bool {
		return some(rule) && slices.ContainsFunc(found, func(labels map[string]string) bool {
			return concerns(labels) && fires(rule, labels)
		})
	})
}
