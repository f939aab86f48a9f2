// SPDX-License-Identifier: Apache-2.0

package chaos

import (
	"fmt"
	"path"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/confmap"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

// No profile and no fragment drops what a backend does not take for a while: each exporter is behind spillover,
// or its senders keep the data until it has it.
func TestNoProfileGivesUpEarly(t *testing.T) {
	spilled := 0
	for _, uris := range shipped(t) {
		t.Run(path.Base(uris[len(uris)-1]), func(t *testing.T) {
			for id, exporter := range usedExporters(t, uris) {
				if id == "prometheus_page" || id == "nop" {
					continue // is read, or keeps nothing on purpose
				}
				queue, _ := exporter.settings["sending_queue"].(map[string]any)
				if queue == nil || queue["enabled"] == false {
					spilled++
					assert.True(t, exporter.spilled, "%s has no queue, and no spillover before it", id)
					continue
				}
				assert.Equal(t, true, queue["wait_for_result"], id)
				retry, _ := exporter.settings["retry_on_failure"].(map[string]any)
				assert.NotEqual(t, false, retry["enabled"], id)
				extent, err := time.ParseDuration(retry["max_elapsed_time"].(string))
				require.NoError(t, err)
				assert.Equal(t, 24*time.Hour, extent, id)
			}
			args := []string{"doctor"}
			for _, uri := range uris {
				args = append(args, "--config", uri)
			}
			result := collectortest.Run(t, args...)
			assert.Empty(t, result.Stderr)
			assert.NotContains(t, result.Stdout, "retry-", "doctor has nothing to say of retries")
		})
	}
	assert.Positive(t, spilled)
	addRow(&row{name: "04 retry disabled", failed: t.Failed(), notes: []string{fmt.Sprintf("in none of %d shipped configurations", len(shipped(t)))}})
}

// shipped returns each profile, and each fragment over the profile that its name says.
func shipped(t *testing.T) [][]string {
	t.Helper()
	all := [][]string{{"builtin:agent"}, {"builtin:gateway"}}
	for _, fragment := range collectortest.Fragments(t) {
		all = append(all, []string{"builtin:" + collectortest.ProfileOf(fragment), "builtin:fragments/" + fragment})
	}
	return all
}

// usedExporter is an exporter in a pipeline.
type usedExporter struct {
	settings map[string]any
	spilled  bool // gets data only from spillover
}

// usedExporters returns the exporters that are in a pipeline, as the collector would resolve them with
// nothing set in the environment.
func usedExporters(t *testing.T, uris []string) map[string]usedExporter {
	t.Helper()
	var config struct {
		Exporters map[string]map[string]any `mapstructure:"exporters"`
		Service   struct {
			Pipelines map[string]struct {
				Receivers []string `mapstructure:"receivers"`
				Exporters []string `mapstructure:"exporters"`
			} `mapstructure:"pipelines"`
		} `mapstructure:"service"`
	}
	require.NoError(t, collectortest.Resolve(t, uris...).Unmarshal(&config, confmap.WithIgnoreUnused()))
	used := map[string]usedExporter{}
	for _, pipeline := range config.Service.Pipelines {
		spilled := slices.Equal(pipeline.Receivers, []string{"spillover"})
		for _, id := range pipeline.Exporters {
			if settings, ok := config.Exporters[id]; ok { // and is no connector
				before, known := used[id]
				used[id] = usedExporter{settings: settings, spilled: spilled && (before.spilled || !known)}
			}
		}
	}
	return used
}
