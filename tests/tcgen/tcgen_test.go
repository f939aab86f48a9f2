// SPDX-License-Identifier: Apache-2.0

package tcgen

import (
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/textparse"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
	"github.com/otelcol-tc/otelcol-tc/tests/tcgen/scenario"
	"github.com/otelcol-tc/otelcol-tc/tests/testfiles"
)

// interval is so short that all scenarios are over within the seconds by which a sender's clock
// may be ahead.
const interval = 100 * time.Millisecond

// What the four systems really send, all to one collector, comes out complete and
// under the convention's names.
func TestFourSystems(t *testing.T) {
	t.Parallel()
	var systems []*Imitated
	var targets []string
	// They start after the collector, which therefore counts all that they count.
	start := time.Now().Add(30 * time.Second).Truncate(time.Second)
	for _, name := range scenario.Names() {
		s := Imitate(t, name, start, start, interval)
		systems = append(systems, s)
		if s.target != "" {
			targets = append(targets, s.target)
		}
	}
	list, err := json.Marshal(targets)
	require.NoError(t, err)
	c := collectortest.Start(t, collectortest.Options{Env: map[string]string{"OTELCOL_TC_SCRAPE_TARGETS": string(list)}})
	for _, s := range systems {
		s.awaitScrape(t, c)
	}
	time.Sleep(time.Until(start)) // a merged point is not later than the collector's clock
	for _, s := range systems {
		s.Send(t, c)
	}
	page, openMetrics := c.Scrape(t), readOpenMetrics(t, c)
	require.Zero(t, c.Stop(t).Code)

	metrics := c.Metrics(t)
	received := telemetry{spans: SpanItems(t, WithoutDerived(c.Traces(t))), metrics: MetricItems(t, metrics), logs: LogItems(t, c.LogRecords(t))}
	names := nameTable{}
	for _, s := range systems {
		t.Run(s.Name, func(t *testing.T) {
			got, scraped := received.only(s.services), received.scrapedFrom(s.target)
			names.add(t, s, got, scraped)
			CheckSpansKept(t, s.sent.spans, got.spans)
			CheckCounted(t, s.Metrics(), metrics)
			CheckKept(t, s.sent.logs, got.logs)
			checkNames(t, got.spans, slices.Concat(got.metrics, scraped))
		})
	}
	t.Run("series", func(t *testing.T) { CheckSeries(t, metrics, IDKeys) })
	t.Run("names", func(t *testing.T) { names.checkGolden(t) })
	t.Run("keys", func(t *testing.T) { checkKeysInFiles(t, c.DataDir) })
	t.Run("page", func(t *testing.T) {
		checkPages(t, page, openMetrics)
		AssertNoIDs(t, page)
	})
}

const (
	// namesFile holds every name that the scenarios send and what it becomes.
	namesFile   = "testdata/tcgen_names.yaml"
	namesHeader = `# What comes out for every name that the four systems send: system, kind, original: new.
# <uuid> and <n> stand for ids. The prometheus receiver adds up and scrape_* to a page.
# UPDATE_GOLDEN=1 go test ./tests/tcgen -run TestFourSystems writes this file anew; review the change.
`
)

// idPlaceholders make one original of those that differ in ids only.
var idPlaceholders = []struct {
	pattern     *regexp.Regexp
	placeholder string
}{
	{uuid, "<uuid>"},
	{regexp.MustCompile(`[0-9]{4,}`), "<n>"},
}

var (
	uuid        = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`)
	goodKey     = regexp.MustCompile(`^tc(\.[a-z0-9]+(_[a-z0-9]+)*)+$`)
	ownKey      = regexp.MustCompile(`(?i)"key":"(tc\.[^"]*)"`)
	punctuation = regexp.MustCompile(`[^a-z0-9]+`)
)

// nameTable is what namesFile holds: system, kind, original, new.
type nameTable map[string]map[string]map[string]string

func (n nameTable) add(t *testing.T, s *Imitated, got telemetry, scraped []Item) {
	t.Helper()
	n[s.Name] = map[string]map[string]string{}
	for _, i := range got.spans {
		n.pair(t, s.Name, "spans", i.original(), i.text("name"))
	}
	units := map[string]string{}
	for _, i := range s.sent.metrics {
		units[i.text("name")] = i.text("unit")
	}
	for _, i := range got.metrics {
		n.pair(t, s.Name, "metrics", i.original(), i.text("name"))
		if unit := units[i.original()]; unit != "" {
			n.pair(t, s.Name, "units", unit, i.text("unit"))
		}
	}
	for _, i := range scraped {
		if attribute(i["metadata"], naming.CopyOfKey) != "" {
			continue
		}
		n.pair(t, s.Name, "scraped metrics", i.original(), i.text("name"))
	}
}

func (n nameTable) pair(t *testing.T, system, kind, original, name string) {
	t.Helper()
	for _, p := range idPlaceholders {
		original = p.pattern.ReplaceAllString(original, p.placeholder)
	}
	names := n[system][kind]
	if names == nil {
		names = map[string]string{}
		n[system][kind] = names
	}
	if other, ok := names[original]; ok && other != name {
		t.Errorf("%s: %q came out as %s and as %s", kind, original, other, name)
	}
	names[original] = name
}

// checkGolden compares the table with namesFile.
func (n nameTable) checkGolden(t *testing.T) {
	t.Helper()
	text, err := yaml.Marshal(n)
	require.NoError(t, err)
	testfiles.Golden(t, namesFile, namesHeader+string(text))
}

// checkNames checks the form of all names, and that no id is in a span's name.
func checkNames(t *testing.T, spans, metrics []Item) {
	t.Helper()
	var metricNames, spanNames []string
	for _, i := range metrics {
		metricNames = append(metricNames, i.text("name"))
	}
	AssertMetricNames(t, metricNames)
	for _, i := range spans {
		spanNames = append(spanNames, i.text("name"))
		for _, a := range objects(i["attributes"]) {
			for _, value := range a["value"].(map[string]any) {
				id, _ := value.(string) // OTLP's JSON has text and integers as strings
				if id = bare(id); strings.HasSuffix(a["key"].(string), "id") && len(id) > 3 {
					assert.NotContains(t, bare(i.text("name")), id, "%s is in the name of a span", a["key"])
				}
			}
		}
	}
	AssertSpanNames(t, spanNames)
}

// bare leaves out what renaming may have changed of an id.
func bare(text string) string {
	return punctuation.ReplaceAllString(strings.ToLower(text), "")
}

// checkKeysInFiles checks the form of the convention's keys wherever they stand.
func checkKeysInFiles(t *testing.T, dir string) {
	t.Helper()
	for _, file := range []string{"traces.json", "metrics.json", "logs.json"} {
		content, err := os.ReadFile(filepath.Join(dir, file))
		require.NoError(t, err)
		keys := map[string]bool{}
		for _, match := range ownKey.FindAllSubmatch(content, -1) {
			keys[string(match[1])] = true
		}
		for key := range keys {
			assert.Regexp(t, goodKey, key, file)
		}
	}
}

// readOpenMetrics reads the Prometheus exporter's page as a Prometheus server does,
// with its parser, and returns the types that each family is declared with.
func readOpenMetrics(t *testing.T, c *collectortest.Collector) map[string][]model.MetricType {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+c.Prometheus+"/metrics", nil)
	require.NoError(t, err)
	request.Header.Set("Accept", "application/openmetrics-text;version=1.0.0")
	request.Close = true // an idle connection would delay the collector's shutdown
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	defer response.Body.Close()
	page, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, response.StatusCode, string(page))

	parser, err := textparse.New(page, response.Header.Get("Content-Type"), nil, textparse.ParserOptions{})
	require.NoError(t, err)
	types := map[string][]model.MetricType{}
	for {
		entry, err := parser.Next()
		if errors.Is(err, io.EOF) {
			return types
		}
		require.NoError(t, err)
		if entry == textparse.EntryType {
			name, kind := parser.Type()
			types[string(name)] = append(types[string(name)], kind)
		}
	}
}

func checkPages(t *testing.T, text map[string]*dto.MetricFamily, openMetrics map[string][]model.MetricType) {
	t.Helper()
	for _, names := range [][]string{slices.Collect(maps.Keys(text)), slices.Collect(maps.Keys(openMetrics))} {
		require.NotEmpty(t, names)
		AssertPageNames(t, names)
		for _, name := range names {
			words := strings.Split(name, "_")
			assert.Len(t, slices.Compact(words), strings.Count(name, "_")+1, "a word stands twice in %s", name)
		}
	}
	for name, types := range openMetrics {
		assert.Len(t, types, 1, "types of %s", name)
	}
	// What promtool check metrics would say.
	problems, err := promlint.NewWithMetricFamilies(slices.Collect(maps.Values(text))).Lint()
	require.NoError(t, err)
	for _, problem := range problems {
		// Descriptions are the systems' own, and some send none. HTTP's metrics are
		// exempt, and TuFT's instrumentation still counts their milliseconds.
		if problem.Text != "no help text" && !strings.HasPrefix(problem.Metric, "http_") {
			assert.Fail(t, "promtool's lint", "%s: %s", problem.Metric, problem.Text)
		}
	}
}
