// SPDX-License-Identifier: Apache-2.0

package dashboards

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/prometheus/prometheus/promql/parser"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
	"github.com/otelcol-tc/otelcol-tc/tests/servers"
)

// Dashboard is what Grafana reads of a file, as far as ours use it.
type Dashboard struct {
	UID           string    `json:"uid"`
	Title         string    `json:"title"`
	Description   string    `json:"description"`
	Tags          []string  `json:"tags"`
	SchemaVersion int       `json:"schemaVersion"`
	Editable      bool      `json:"editable"`
	Refresh       string    `json:"refresh"`
	Time          timeRange `json:"time"`
	Links         []Link    `json:"links"`
	Templating    struct {
		List []Variable `json:"list"`
	} `json:"templating"`
	Panels []Panel `json:"panels"`
}

type timeRange struct{ From, To string }

// Link is a link at the top of a dashboard.
type Link struct {
	Type        string `json:"type"`
	Title       string `json:"title"`
	Icon        string `json:"icon"`
	Tooltip     string `json:"tooltip"`
	URL         string `json:"url"`
	TargetBlank bool   `json:"targetBlank"`
}

// Variable is a variable of a dashboard.
type Variable struct {
	Name       string          `json:"name"`
	Label      string          `json:"label"`
	Type       string          `json:"type"`
	Datasource *Datasource     `json:"datasource"`
	Query      string          `json:"query"`
	Refresh    int             `json:"refresh"`
	Sort       int             `json:"sort"`
	IncludeAll bool            `json:"includeAll"`
	AllValue   string          `json:"allValue"`
	Multi      bool            `json:"multi"`
	Current    json.RawMessage `json:"current"`
}

// Datasource names a source of data.
type Datasource struct {
	Type string `json:"type"`
	UID  string `json:"uid"`
}

// Panel is a panel of a dashboard.
type Panel struct {
	ID              int             `json:"id"`
	Type            string          `json:"type"`
	Title           string          `json:"title"`
	Description     string          `json:"description"`
	GridPos         GridPos         `json:"gridPos"`
	Datasource      Datasource      `json:"datasource"`
	FieldConfig     json.RawMessage `json:"fieldConfig"`
	Options         json.RawMessage `json:"options"`
	Transformations json.RawMessage `json:"transformations"`
	Targets         []Query         `json:"targets"`
}

// GridPos is where a panel is.
type GridPos struct{ X, Y, W, H int }

// Overlaps reports whether two panels overlap.
func (g GridPos) Overlaps(other GridPos) bool {
	return g.X < other.X+other.W && other.X < g.X+g.W && g.Y < other.Y+other.H && other.Y < g.Y+g.H
}

// Query is an expression of a panel.
type Query struct {
	RefID        string `json:"refId"`
	LegendFormat string `json:"legendFormat"`
	Expr         string `json:"expr"`
	Format       string `json:"format"`
	Instant      bool   `json:"instant"`
}

// OfEngines are the files about inference engines and what is around them, which have tests of their own.
// All others are about the collector and the four systems.
var OfEngines = []string{"inference.json", "genai.json", "gpus.json", "owners.json"}

// Files reads all files, by name.
func Files(t *testing.T) map[string]Dashboard {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir(t), "*.json"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	all := map[string]Dashboard{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		decoder := json.NewDecoder(bytes.NewReader(text))
		// A key that is spelled wrong would do nothing.
		decoder.DisallowUnknownFields()
		var d Dashboard
		require.NoError(t, decoder.Decode(&d), file)
		all[filepath.Base(file)] = d
	}
	return all
}

func dir(t *testing.T) string { return filepath.Join(collectortest.Root(t), "dashboards") }

// Expression returns an expression as Grafana asks for it. Variables are pairs such as "$engine", "vllm";
// all others stand for everything. The interval is longer than any test.
func Expression(expression string, variables ...string) string {
	all := []string{"$__rate_interval", strings.Trim(servers.LookBack, "[]")}
	for _, name := range []string{"$collector", "$job", "$service", "$engine", "$model", "$provider", "$environment", "$namespace"} {
		all = append(all, name, ".*")
	}
	return strings.NewReplacer(append(variables, all...)...).Replace(expression)
}

// Parse fails the test for an expression that Prometheus does not accept.
func Parse(t *testing.T, expression string) parser.Expr {
	t.Helper()
	parsed, err := parser.NewParser(parser.Options{}).ParseExpr(expression)
	require.NoError(t, err, expression)
	return parsed
}

// AlertsFile returns the path of alerts.yaml.
func AlertsFile(t *testing.T) string { return filepath.Join(dir(t), "alerts.yaml") }

// AlertRule is a rule of alerts.yaml.
type AlertRule struct {
	Group       string            `yaml:"-"`
	Record      string            `yaml:"record"`
	Alert       string            `yaml:"alert"`
	Expr        string            `yaml:"expr"`
	Labels      map[string]string `yaml:"labels"`
	Annotations map[string]string `yaml:"annotations"`
}

// OfEngines reports whether a rule is about inference engines or what is around them. The groups of all
// others begin with otelcol-tc.
func (r AlertRule) OfEngines() bool { return !strings.HasPrefix(r.Group, "otelcol-tc") }

// AlertRules returns all rules of alerts.yaml, recorded ones too.
func AlertRules(t *testing.T) []AlertRule {
	t.Helper()
	text, err := os.ReadFile(AlertsFile(t))
	require.NoError(t, err)
	var file struct {
		Groups []struct {
			Name  string
			Rules []AlertRule
		}
	}
	require.NoError(t, yaml.Unmarshal(text, &file))
	var rules []AlertRule
	for _, group := range file.Groups {
		for _, rule := range group.Rules {
			rule.Group = group.Name
			rules = append(rules, rule)
		}
	}
	return rules
}
