// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
	"github.com/otelcol-tc/otelcol-tc/tests/tcgen"
	"github.com/otelcol-tc/otelcol-tc/tests/tcgen/scenario"
)

// judgingSoon is conformance in a hurry. The collector's instance is called as by the
// Prometheus that reads its own metrics, so that alerts of both name it alike.
const judgingSoon = `yaml:{
  connectors: {conformance: {interval: 1s, window: 2s, expect_after: %s}},
  service: {telemetry: {resource: {attributes: [{name: service.instance.id, value: "${env:OTELCOL_TC_TELEMETRY_HOST}:${env:OTELCOL_TC_TELEMETRY_PORT}"}]}}}}`

// demo is a collector that gets what the four systems send.
type demo struct {
	*collectortest.Collector
	systems []scenario.Generator
	pages   []string // host:port of their Prometheus pages
	logs    string   // directory of their text logs
}

func startDemo(t *testing.T, config string) *demo {
	t.Helper()
	d := &demo{logs: t.TempDir()}
	for _, name := range scenario.Names() {
		system, err := scenario.New(name, tcgen.Seed, time.Now())
		require.NoError(t, err)
		d.systems = append(d.systems, system)
		if scraped := system.Gatherer(); scraped != nil {
			d.pages = append(d.pages, serve(t, scraped))
		}
	}
	pages, err := json.Marshal(d.pages)
	require.NoError(t, err)
	d.Collector = collectortest.Start(t, collectortest.Options{
		Configs: []string{"builtin:dev", config},
		Env: map[string]string{
			"OTELCOL_TC_SCRAPE_TARGETS": string(pages),
			"OTELCOL_TC_LOG_FILES":      fmt.Sprintf("[%q]", filepath.Join(d.logs, "*.log")),
		},
	})
	return d
}

// concerns reports whether an alert with such labels is about this collector, or about a
// service that sends to it.
func (d *demo) concerns(labels map[string]string) bool {
	instance, ok := labels["instance"]
	return instance == d.Telemetry || !ok && labels["service"] != driftingService
}

// step sends one scenario of each system.
func (d *demo) step(t *testing.T) {
	t.Helper()
	for _, system := range d.systems {
		batch := system.Next(time.Now())
		(&tcgen.Imitated{Batches: []scenario.Batch{batch}}).Send(t, d.Collector)
		collectortest.WriteTexts(t, d.logs, batch.Lines)
	}
}
