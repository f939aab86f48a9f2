// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
	"github.com/otelcol-tc/otelcol-tc/tests/dashboards"
)

// provisioned is the data source of everybody's Grafana: one that a variable chooses.
var provisioned = dashboards.Datasource{Type: "prometheus", UID: "${datasource}"}

func TestDashboardsCanBeProvisioned(t *testing.T) {
	uids := map[string]string{}
	for file, d := range dashboards.Files(t) {
		t.Run(file, func(t *testing.T) {
			assert.Equal(t, "otelcol-tc-"+strings.TrimSuffix(file, ".json"), d.UID)
			assert.Empty(t, uids[d.UID], "two files have this uid")
			uids[d.UID] = file
			assert.NotEmpty(t, d.Title)
			assert.NotEmpty(t, d.Description)
			checkVariables(t, d)
			for i, p := range d.Panels {
				checkPanel(t, p)
				for _, before := range d.Panels[:i] {
					assert.NotEqual(t, before.ID, p.ID, p.Title)
					assert.False(t, p.GridPos.Overlaps(before.GridPos), "%q and %q", before.Title, p.Title)
				}
			}
		})
	}
}

// checkVariables checks that a dashboard needs no variable that it does not have.
func checkVariables(t *testing.T, d dashboards.Dashboard) {
	t.Helper()
	known := []string{"$__rate_interval"}
	for _, v := range d.Templating.List {
		known = append(known, "$"+v.Name)
		if v.Type == "query" {
			assert.Equal(t, &provisioned, v.Datasource, v.Name)
		}
	}
	assert.Contains(t, known, "$datasource")
	for _, link := range d.Links {
		assert.NotEmpty(t, link.Title)
		for _, variable := range regexp.MustCompile(`\$\{(\w+)\}`).FindAllStringSubmatch(link.URL, -1) {
			assert.Contains(t, known, "$"+variable[1], link.Title)
		}
	}
	for _, p := range d.Panels {
		for _, query := range p.Targets {
			for _, name := range regexp.MustCompile(`\$\w+`).FindAllString(query.Expr, -1) {
				assert.Contains(t, known, name, query.Expr)
			}
		}
	}
}

func checkPanel(t *testing.T, p dashboards.Panel) {
	t.Helper()
	assert.NotEmpty(t, p.Title)
	assert.Equal(t, provisioned, p.Datasource, p.Title)
	assert.Contains(t, []string{"timeseries", "stat", "table"}, p.Type, p.Title)
	assert.LessOrEqual(t, p.GridPos.X+p.GridPos.W, 24, p.Title)
	assert.NotEmpty(t, p.Targets, p.Title)
	var ids []string
	for _, query := range p.Targets {
		assert.NotContains(t, ids, query.RefID, p.Title)
		ids = append(ids, query.RefID)
		// A table of a range would have a row for each moment.
		assert.Equal(t, p.Type == "table", query.Format == "table" && query.Instant, p.Title)
		dashboards.Parse(t, dashboards.Expression(query.Expr))
	}
}

// alertNames returns the names of all alerts, sorted.
func alertNames(t *testing.T) []string {
	t.Helper()
	var names []string
	for _, rule := range dashboards.AlertRules(t) {
		if rule.Alert != "" {
			names = append(names, rule.Alert)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func TestAlertsSayWhatToDo(t *testing.T) {
	for _, rule := range dashboards.AlertRules(t) {
		dashboards.Parse(t, rule.Expr)
		if rule.Alert == "" {
			continue
		}
		assert.Contains(t, []string{"info", "warning", "critical"}, rule.Labels["severity"], rule.Alert)
		assert.NotEmpty(t, rule.Annotations["summary"], rule.Alert)
		assert.NotEmpty(t, rule.Annotations["description"], rule.Alert)
		assert.NotEmpty(t, rule.Annotations["action"], rule.Alert)
	}
}

// The unit tests of the alerts, which fire and resolve each of them.
func TestAlertsByPromtool(t *testing.T) {
	t.Parallel()
	promtool := collectortest.Needs(t, "promtool", ".tools/promtool")
	f := func(args ...string) {
		t.Helper()
		output, err := exec.CommandContext(t.Context(), promtool, args...).CombinedOutput()
		assert.NoError(t, err, "%s", output)
	}
	tests := filepath.Join(filepath.Dir(dashboards.AlertsFile(t)), "alerts_test.yaml")
	f("check", "rules", dashboards.AlertsFile(t))
	f("test", "rules", tests)
	text, err := os.ReadFile(tests)
	require.NoError(t, err)
	for _, name := range alertNames(t) {
		assert.Contains(t, string(text), name, "no unit test")
	}
}
