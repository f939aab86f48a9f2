// SPDX-License-Identifier: Apache-2.0

package cardinality

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	dto "github.com/prometheus/client_model/go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
	"github.com/otelcol-tc/otelcol-tc/tests/servers"
)

// startScraping starts a collector with a file of settings, and an exporter that it scrapes, whose steps are the pages of
// testdata/owners.
func startScraping(t *testing.T, settings string) (*collectortest.Collector, *servers.SteppedPage) {
	t.Helper()
	var pages []string
	for _, name := range []string{"first.prom", "second.prom"} {
		text, err := os.ReadFile(filepath.Join("testdata", "owners", name))
		require.NoError(t, err)
		pages = append(pages, string(text))
	}
	exporter := servers.StartSteppedPage(t, func(step int) string { return pages[step] })
	env := exporter.Env()
	env["OTELCOL_TC_SETTINGS"] = settings
	return collectortest.Start(t, collectortest.Options{Env: env}), exporter
}

// labels returns the values of a label on a page's metric.
func labels(page map[string]*dto.MetricFamily, metric, label string) (values []string) {
	for _, m := range page[metric].GetMetric() {
		for _, pair := range m.GetLabel() {
			if pair.GetName() == label {
				values = append(values, pair.GetValue())
			}
		}
	}
	return values
}

// awaitLabels waits until a metric of the Prometheus page has exactly these values of a label, and returns the page.
func awaitLabels(t *testing.T, c *collectortest.Collector, metric, label string, want ...string) (page map[string]*dto.MetricFamily) {
	t.Helper()
	collectortest.Eventually(t, collectortest.ArrivalTimeout, func() (bool, string) {
		page = c.Scrape(t)
		got := labels(page, metric, label)
		slices.Sort(got)
		return slices.Equal(want, got), fmt.Sprint(metric, " has ", got)
	})
	return page
}

// A scraped page has three GPUs: one of a job of Slurm, one that two pods share, and one with instances. With one line
// of settings, values are those of the GPUs, and the owners are on a metric of their own, which shows the next ones as
// soon as they come.
func TestOwnersOfGPUs(t *testing.T) {
	t.Parallel()
	settings := collectortest.WriteFile(t, "settings.yaml", "owners: [dcgm]\n")
	c, exporter := startScraping(t, settings)
	page := awaitLabels(t, c, "tc_gpu_owner_info", "pod", "chat-a", "chat-b", "notebook")
	assert.Equal(t, []string{"48121"}, labels(page, "tc_gpu_owner_info", "hpc_job"))
	assert.Empty(t, labels(page, "DCGM_FI_DEV_FB_USED", "pod"))
	assert.Len(t, page["DCGM_FI_DEV_FB_USED"].GetMetric(), 4)
	assert.Len(t, labels(page, "DCGM_FI_DEV_FB_USED", "Hostname"), 4)

	exporter.Show(t, 1)
	page = awaitLabels(t, c, "tc_gpu_owner_info", "hpc_job", "48122")
	assert.Equal(t, []string{"chat-b"}, labels(page, "tc_gpu_owner_info", "pod"))
	// The cards used 12 J, 12 J and 3 J until the page was another one.
	sum := func(metric, key, value string) float64 {
		return collectortest.Sum(page[metric], map[string]string{key: value})
	}
	assert.InDelta(t, 12, sum("tc_gpu_owner_energy_joules_total", "hpc_job", "48121"), 1e-6)
	assert.InDelta(t, 6, sum("tc_gpu_owner_energy_joules_total", "pod", "chat-a"), 1e-6)
	assert.InDelta(t, 6, sum("tc_gpu_owner_energy_joules_total", "pod", "chat-b"), 1e-6)
	assert.InDelta(t, 3, sum("tc_gpu_owner_energy_joules_total", "pod", "notebook"), 1e-6)
	used := sum("tc_gpu_owner_seconds_total", "hpc_job", "48121")
	assert.Positive(t, used)
	assert.InEpsilon(t, 0.5*used, sum("tc_gpu_owner_utilization_seconds_total", "hpc_job", "48121"), 1e-6)
}

// Without the line the page arrives as it is. The line works while the collector runs.
func TestOwnersWhileRunning(t *testing.T) {
	t.Parallel()
	settings := filepath.Join(t.TempDir(), "settings.yaml")
	require.NoError(t, os.WriteFile(settings, nil, 0o600))
	c, _ := startScraping(t, settings)
	page := awaitLabels(t, c, "DCGM_FI_DEV_FB_USED", "pod", "chat-a", "chat-b", "notebook")
	assert.Len(t, page["DCGM_FI_DEV_FB_USED"].GetMetric(), 5)
	assert.NotContains(t, page, "tc_gpu_owner_info")

	require.NoError(t, os.WriteFile(settings, []byte("owners: [dcgm]\n"), 0o600))
	awaitLabels(t, c, "tc_gpu_owner_info", "pod", "chat-a", "chat-b", "notebook")
}
