// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
	"github.com/otelcol-tc/otelcol-tc/tests/dashboards"
	"github.com/otelcol-tc/otelcol-tc/tests/tcgen"
	"github.com/otelcol-tc/otelcol-tc/tests/tcgen/scenario"
)

// gpuDashboard is the dashboard that needs GPUs.
const gpuDashboard = "gpus.json"

// aboutGPUs reports whether a rule is about GPUs and the jobs on them.
func aboutGPUs(rule dashboards.AlertRule) bool { return rule.Group == "gpus" }

// A collector scrapes a node with eight GPUs and NCCL's Inspector, and reads the logs of trainings there. The
// dashboard shows them in a real Prometheus, and the alerts fire when a GPU fails and a training times out.
func TestGPUs(t *testing.T) {
	t.Parallel()
	gpus := &gpuNode{logs: t.TempDir()}
	var pages []string
	for _, name := range []string{"dcgm", "nccl", "torchrun"} {
		system, err := scenario.New(name, tcgen.Seed, time.Now())
		require.NoError(t, err)
		gpus.systems = append(gpus.systems, system)
		if scraped := system.Gatherer(); scraped != nil {
			pages = append(pages, serve(t, scraped))
		}
	}
	failing := newFailingGPU()
	pages = append(pages, serve(t, failing.registry))
	targets, err := json.Marshal(pages)
	require.NoError(t, err)
	c := collectortest.Start(t, collectortest.Options{Env: map[string]string{
		"OTELCOL_TC_SCRAPE_TARGETS":  string(targets),
		"OTELCOL_TC_SCRAPE_INTERVAL": "500ms",
		"OTELCOL_TC_LOG_FILES":       fmt.Sprintf("[%q]", filepath.Join(gpus.logs, "*.log")),
	}})
	server := startPrometheus(t, len(pages), c.Prometheus)

	gpus.step(t)
	server.AwaitScrapes(t)
	failing.fail()
	want := alertsOf(t, aboutGPUs)
	everything := func(map[string]string) bool { return true }
	var fired []string
	for round := 0; round < 20 && len(fired) < len(want); round++ {
		failing.step()
		gpus.step(t)
		server.AwaitScrapes(t)
		fired = alerts(t, server, hasFired, everything, aboutGPUs)
	}
	assert.Equal(t, want, fired, "alerts that fired")
	dashboards.Files(t)[gpuDashboard].CheckShown(t, server, gpuDashboard)
	for _, rule := range dashboards.AlertRules(t) {
		if aboutGPUs(rule) {
			dashboards.CheckEmitted(t, server, dashboards.Parse(t, rule.Expr))
		}
	}
}

// ownersDashboard is the dashboard that needs owners of GPUs.
const ownersDashboard = "owners.json"

func aboutOwners(rule dashboards.AlertRule) bool { return rule.Group == "gpu_owners" }

// With owners, a dashboard shows who uses what, and an alert fires for a notebook that has a GPU and does nothing.
func TestGPUOwners(t *testing.T) {
	t.Parallel()
	system, err := scenario.New("dcgm", tcgen.Seed, time.Now())
	require.NoError(t, err)
	gpus := &gpuNode{logs: t.TempDir(), systems: []scenario.Generator{system}}
	idle := prometheus.NewRegistry()
	util := prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "DCGM_FI_DEV_GPU_UTIL"}, []string{"UUID", "gpu", "pod"})
	idle.MustRegister(util)
	util.WithLabelValues("GPU-9", "9", "jupyter-9").Set(0)
	pages := []string{serve(t, system.Gatherer()), serve(t, idle)}
	targets, err := json.Marshal(pages)
	require.NoError(t, err)
	c := collectortest.Start(t, collectortest.Options{
		Configs: []string{"builtin:dev", "yaml:extensions::conventions::owners: [dcgm]"},
		Env: map[string]string{
			"OTELCOL_TC_SCRAPE_TARGETS":  string(targets),
			"OTELCOL_TC_SCRAPE_INTERVAL": "500ms",
		},
	})
	server := startPrometheus(t, len(pages), c.Prometheus)
	everything := func(map[string]string) bool { return true }
	var fired []string
	for round := 0; round < 20 && len(fired) == 0; round++ {
		gpus.step(t)
		server.AwaitScrapes(t)
		fired = alerts(t, server, hasFired, everything, aboutOwners)
	}
	assert.Equal(t, alertsOf(t, aboutOwners), fired, "alerts that fired")
	dashboards.Files(t)[ownersDashboard].CheckShown(t, server, ownersDashboard)
}

// gpuNode is a node with GPUs, and trainings on it.
type gpuNode struct {
	systems []scenario.Generator
	logs    string
}

// step writes one scenario of each system.
func (n *gpuNode) step(t *testing.T) {
	t.Helper()
	for _, system := range n.systems {
		collectortest.WriteTexts(t, n.logs, system.Next(time.Now()).Lines)
	}
}

// failingGPU is another node's GPU, which fails, gets hot and is throttled.
type failingGPU struct {
	registry  *prometheus.Registry
	xid, heat *prometheus.GaugeVec
	throttled *prometheus.CounterVec
}

func newFailingGPU() *failingGPU {
	labels := []string{"gpu", "UUID", "modelName"}
	f := &failingGPU{
		registry:  prometheus.NewRegistry(),
		xid:       prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "DCGM_FI_DEV_XID_ERRORS"}, append(labels, "err_code", "err_msg")),
		heat:      prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "DCGM_FI_DEV_GPU_TEMP"}, labels),
		throttled: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "DCGM_FI_DEV_THERMAL_VIOLATION"}, labels),
	}
	f.registry.MustRegister(f.xid, f.heat, f.throttled)
	f.set("0", "No Error", 0, 61)
	return f
}

// fail gives the GPU another XID, and heat.
func (f *failingGPU) fail() {
	f.xid.Reset()
	f.set("79", "GPU has fallen off the bus", 79, 97)
}

func (f *failingGPU) set(code, text string, xid, heat float64) {
	f.xid.WithLabelValues("0", "GPU-0", "NVIDIA H100 80GB HBM3", code, text).Set(xid)
	f.heat.WithLabelValues("0", "GPU-0", "NVIDIA H100 80GB HBM3").Set(heat)
	f.throttled.WithLabelValues("0", "GPU-0", "NVIDIA H100 80GB HBM3").Add(0)
}

// step throttles it for a while.
func (f *failingGPU) step() {
	f.throttled.WithLabelValues("0", "GPU-0", "NVIDIA H100 80GB HBM3").Add(1e10)
}

// serve serves a page, and returns its host:port.
func serve(t *testing.T, page prometheus.Gatherer) string {
	t.Helper()
	return collectortest.Serve(t, promhttp.HandlerFor(page, promhttp.HandlerOpts{}))
}
