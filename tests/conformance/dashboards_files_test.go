package conformance

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/prometheus/promql/parser"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

const dashboardsDir = "../../dashboards"

// dashboard is what Grafana reads of a file, as far as ours use it.
type dashboard struct {
	UID           string    `json:"uid"`
	Title         string    `json:"title"`
	Description   string    `json:"description"`
	Tags          []string  `json:"tags"`
	SchemaVersion int       `json:"schemaVersion"`
	Editable      bool      `json:"editable"`
	Refresh       string    `json:"refresh"`
	Time          timeRange `json:"time"`
	Templating    struct {
		List []variable `json:"list"`
	} `json:"templating"`
	Panels []panel `json:"panels"`
}

type timeRange struct{ From, To string }

type variable struct {
	Name       string          `json:"name"`
	Label      string          `json:"label"`
	Type       string          `json:"type"`
	Datasource *datasource     `json:"datasource"`
	Query      string          `json:"query"`
	Refresh    int             `json:"refresh"`
	Sort       int             `json:"sort"`
	IncludeAll bool            `json:"includeAll"`
	AllValue   string          `json:"allValue"`
	Multi      bool            `json:"multi"`
	Current    json.RawMessage `json:"current"`
}

type datasource struct {
	Type string `json:"type"`
	UID  string `json:"uid"`
}

type panel struct {
	ID          int             `json:"id"`
	Type        string          `json:"type"`
	Title       string          `json:"title"`
	Description string          `json:"description"`
	GridPos     gridPos         `json:"gridPos"`
	Datasource  datasource      `json:"datasource"`
	FieldConfig json.RawMessage `json:"fieldConfig"`
	Targets     []target        `json:"targets"`
}

type gridPos struct{ X, Y, W, H int }

func (g gridPos) overlaps(other gridPos) bool {
	return g.X < other.X+other.W && other.X < g.X+g.W && g.Y < other.Y+other.H && other.Y < g.Y+g.H
}

type target struct {
	RefID        string `json:"refId"`
	LegendFormat string `json:"legendFormat"`
	Expr         string `json:"expr"`
}

// provisioned is the data source of everybody's Grafana: one that a variable chooses.
var provisioned = datasource{Type: "prometheus", UID: "${datasource}"}

// dashboards reads all files, by name.
func dashboards(t *testing.T) map[string]dashboard {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dashboardsDir, "*.json"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	all := map[string]dashboard{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		decoder := json.NewDecoder(bytes.NewReader(text))
		// A key that is spelled wrong would do nothing.
		decoder.DisallowUnknownFields()
		var d dashboard
		require.NoError(t, decoder.Decode(&d), file)
		all[filepath.Base(file)] = d
	}
	return all
}

// grafanaVariables are what Grafana puts into expressions: here all collectors and jobs.
// The interval is a few scrapes of a test's Prometheus.
var grafanaVariables = strings.NewReplacer("$__rate_interval", "1m", "$collector", ".*", "$job", ".*", "$service", ".*")

// expressionOf returns an expression as Grafana would ask for it.
func expressionOf(expression string) string { return grafanaVariables.Replace(expression) }

// parse fails the test for an expression that Prometheus would not take.
func parse(t *testing.T, expression string) parser.Expr {
	t.Helper()
	parsed, err := parser.NewParser(parser.Options{}).ParseExpr(expression)
	require.NoError(t, err, expression)
	return parsed
}

func TestDashboardsCanBeProvisioned(t *testing.T) {
	uids := map[string]string{}
	for file, d := range dashboards(t) {
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
					assert.False(t, p.GridPos.overlaps(before.GridPos), "%q and %q", before.Title, p.Title)
				}
			}
		})
	}
}

// checkVariables checks that a dashboard needs no variable that it does not have.
func checkVariables(t *testing.T, d dashboard) {
	t.Helper()
	known := []string{"$__rate_interval"}
	for _, v := range d.Templating.List {
		known = append(known, "$"+v.Name)
		if v.Type == "query" {
			assert.Equal(t, &provisioned, v.Datasource, v.Name)
		}
	}
	assert.Contains(t, known, "$datasource")
	for _, p := range d.Panels {
		for _, query := range p.Targets {
			for _, name := range regexp.MustCompile(`\$\w+`).FindAllString(query.Expr, -1) {
				assert.Contains(t, known, name, query.Expr)
			}
		}
	}
}

func checkPanel(t *testing.T, p panel) {
	t.Helper()
	assert.NotEmpty(t, p.Title)
	assert.Equal(t, provisioned, p.Datasource, p.Title)
	assert.Contains(t, []string{"timeseries", "stat"}, p.Type, p.Title)
	assert.LessOrEqual(t, p.GridPos.X+p.GridPos.W, 24, p.Title)
	assert.NotEmpty(t, p.Targets, p.Title)
	var ids []string
	for _, query := range p.Targets {
		assert.NotContains(t, ids, query.RefID, p.Title)
		ids = append(ids, query.RefID)
		parse(t, expressionOf(query.Expr))
	}
}

const alertsFile = dashboardsDir + "/alerts.yaml"

type alertRule struct {
	Record      string            `yaml:"record"`
	Alert       string            `yaml:"alert"`
	Expr        string            `yaml:"expr"`
	Labels      map[string]string `yaml:"labels"`
	Annotations map[string]string `yaml:"annotations"`
}

// alertRules returns all rules of alerts.yaml, recorded ones too.
func alertRules(t *testing.T) []alertRule {
	t.Helper()
	text, err := os.ReadFile(alertsFile)
	require.NoError(t, err)
	var file struct {
		Groups []struct{ Rules []alertRule }
	}
	require.NoError(t, yaml.Unmarshal(text, &file))
	var rules []alertRule
	for _, group := range file.Groups {
		rules = append(rules, group.Rules...)
	}
	return rules
}

// alertNames returns the names of all alerts, sorted.
func alertNames(t *testing.T) []string {
	t.Helper()
	var names []string
	for _, rule := range alertRules(t) {
		if rule.Alert != "" {
			names = append(names, rule.Alert)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func TestAlertsSayWhatToDo(t *testing.T) {
	for _, rule := range alertRules(t) {
		parse(t, rule.Expr)
		if rule.Alert == "" {
			continue
		}
		assert.Contains(t, []string{"info", "warning", "critical"}, rule.Labels["severity"], rule.Alert)
		assert.NotEmpty(t, rule.Annotations["summary"], rule.Alert)
		assert.NotEmpty(t, rule.Annotations["description"], rule.Alert)
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
	f("check", "rules", alertsFile)
	f("test", "rules", dashboardsDir+"/alerts_test.yaml")
	text, err := os.ReadFile(dashboardsDir + "/alerts_test.yaml")
	require.NoError(t, err)
	for _, name := range alertNames(t) {
		assert.Contains(t, string(text), name, "no unit test")
	}
}
