// SPDX-License-Identifier: Apache-2.0

package usage

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	dto "github.com/prometheus/client_model/go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
	"github.com/otelcol-tc/otelcol-tc/tests/servers"
	"github.com/otelcol-tc/otelcol-tc/tests/testfiles"
	"github.com/otelcol-tc/otelcol-tc/tests/usage/pages"
)

// cases are the pages of systems and their public readers, which are files of the corpus. The system's own dashboard is
// the first one.
var cases = []struct {
	page, what string
	readers    []string
}{
	{"ray", "Ray 2.60", []string{"ray", "kuberay"}},
	{"ray_data", "Ray Data, 60 datasets", []string{"ray", "kuberay"}},
	{"vllm", "vLLM, eight engines", []string{"vllm", "vllm_statistics", "vllm_production_stack"}},
	{"vllm_one", "vLLM, one engine", []string{"vllm", "vllm_statistics", "vllm_production_stack"}},
	{"sglang", "SGLang, eight schedulers", []string{"sglang"}},
	{"triton", "Triton, 16 models on eight GPUs", []string{"triton_onprem", "triton_cloud", "triton_tutorials", "triton"}},
	{"dcgm", "DCGM, 32 pods on eight GPUs", []string{"dcgm", "dcgm_dynamo", "deepops", "triton_tutorials"}},
	{"cadvisor", "cAdvisor, 20 pods", []string{"kubernetes", "cadvisor"}},
}

const (
	corpus   = "../../internal/command/usage/testdata/corpus/"
	document = "../../docs/usage.md"
	begin    = "<!-- series: UPDATE_GOLDEN=1 go test ./tests/usage -run TestPages writes this table -->\n"
	end      = "<!-- end of the table -->\n"
)

// The settings that usage writes for the pages of systems and their public readers remove the series in a collector
// that docs/usage.md says.
func TestPages(t *testing.T) {
	var targets []*target
	for _, c := range cases {
		targets = append(targets, serve(t, pages.Read(t, c.page)))
	}
	settings := func(readers func(all []string) []string, unread bool) string {
		file := filepath.Join(t.TempDir(), "settings.yaml")
		var text strings.Builder
		text.WriteString("processors:\n  cardinality:\n    overrides:\n")
		for i, c := range cases {
			args := []string{"usage", "--series", targets[i].file, "--output", "yaml"}
			for _, reader := range readers(c.readers) {
				args = append(args, corpus+reader+".yaml")
			}
			result := collectortest.Run(t, args...)
			require.Zero(t, result.Code, result.Stderr)
			for line := range strings.Lines(result.Stdout) {
				if line = strings.TrimSpace(line); unread {
					line = strings.TrimPrefix(line, "# ")
				}
				if strings.HasPrefix(line, "- {metric: ") {
					text.WriteString("      " + line + "\n")
				}
			}
		}
		require.NoError(t, os.WriteFile(file, []byte(text.String()), 0o600))
		return file
	}
	all := func(all []string) []string { return all }
	own := func(all []string) []string { return all[:1] }
	counts := [][]int{series(t, targets)}
	for _, file := range []string{settings(all, false), settings(all, true), settings(own, true)} {
		counts = append(counts, series(t, targets, file))
	}

	var table strings.Builder
	table.WriteString("| page | series | settings | and of unread metrics | by its own dashboards |\n| --- | ---: | ---: | ---: | ---: |\n")
	for i, c := range cases {
		fmt.Fprintf(&table, "| %s | %d", c.what, counts[0][i])
		for _, after := range counts[1:] {
			fmt.Fprintf(&table, " | −%d%%", 100*(counts[0][i]-after[i])/counts[0][i])
		}
		table.WriteString(" |\n")
	}
	testfiles.Section(t, document, begin, end, "\n"+table.String()+"\n")
}

// target is a page that is served.
type target struct {
	address, file string
	names         map[string]bool // of its metrics
	scrapes       atomic.Int64
}

func serve(t *testing.T, page pages.Page) *target {
	t.Helper()
	text := page.Text(0)
	p := &target{file: filepath.Join(t.TempDir(), "page"), names: map[string]bool{}}
	for _, group := range page {
		for _, name := range group.Names {
			p.names[name] = true
		}
	}
	require.NoError(t, os.WriteFile(p.file, []byte(text), 0o600))
	p.address = collectortest.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; version=0.0.4")
		_, _ = fmt.Fprintf(w, "%s# TYPE scrape gauge\nscrape %d\n", text, p.scrapes.Add(1))
	}))
	return p
}

// series returns how many series of each target a collector with settings has on its page.
func series(t *testing.T, targets []*target, settings ...string) []int {
	t.Helper()
	var addresses []string
	for _, p := range targets {
		addresses = append(addresses, strconv.Quote(p.address))
		p.scrapes.Store(0)
	}
	c := collectortest.Start(t, collectortest.Options{
		Configs: append([]string{"builtin:dev"}, settings...),
		Env: map[string]string{
			"OTELCOL_TC_SCRAPE_TARGETS":  "[" + strings.Join(addresses, ",") + "]",
			"OTELCOL_TC_SCRAPE_INTERVAL": "4s",
		},
	})
	defer c.Stop(t)
	counts := make([]int, len(targets))
	var families map[string]*dto.MetricFamily
	collectortest.Eventually(t, collectortest.ArrivalTimeout, func() (bool, string) {
		if slices.ContainsFunc(targets, func(p *target) bool { return p.scrapes.Load() < 2 }) {
			return false, "not all targets are scraped twice"
		}
		families = c.Scrape(t)
		return len(families["scrape"].GetMetric()) == len(targets), "not all targets are on the page"
	})
	for name, family := range families {
		for _, metric := range family.GetMetric() {
			i := slices.IndexFunc(targets, func(p *target) bool {
				return p.names[name] && collectortest.HasLabels(metric, map[string]string{"instance": p.address})
			})
			switch {
			case i < 0:
			case metric.Histogram != nil:
				counts[i] += len(metric.GetHistogram().GetBucket()) + 2
			default:
				counts[i]++
			}
		}
	}
	return counts
}

// Each job of Slurm makes all series of its GPUs anew, unless the owner of a GPU is kept apart.
func TestJobs(t *testing.T) {
	shape := pages.Read(t, "slurm")
	source := servers.StartSteppedPage(t, func(step int) string {
		return strings.ReplaceAll(shape.Text(step), "JOB", strconv.Itoa(4711+step))
	})
	config := collectortest.WriteFile(t, "owners.yaml", "extensions: {conventions: {owners: [dcgm]}}\n")
	all := collectortest.Start(t, collectortest.Options{Env: source.Env()})
	owners := collectortest.Start(t, collectortest.Options{Configs: []string{"builtin:dev", config}, Env: source.Env()})
	const jobs = 3
	made := []map[string]bool{{}, {}}
	infos := map[string]bool{}
	for job := range jobs {
		for i, page := range source.Show(t, job, all, owners) {
			for name, family := range page {
				for _, metric := range family.GetMetric() {
					switch key := name + fmt.Sprint(metric.GetLabel()); {
					case strings.HasPrefix(name, "DCGM_"):
						made[i][key] = true
					case name == "tc_gpu_owner_info":
						infos[key] = true
					}
				}
			}
		}
	}
	const gpus, fields = 8, 25
	assert.Len(t, made[0], jobs*gpus*fields)
	assert.Len(t, made[1], gpus*fields)
	assert.Len(t, infos, jobs*gpus)
}
