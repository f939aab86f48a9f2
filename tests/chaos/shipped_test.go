package chaos

import (
	"fmt"
	"io/fs"
	"path"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/confmap"

	"github.com/otelcol-tc/otelcol-tc/configs"
	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

// A persistent queue without retries loses everything at SIGTERM: no profile and no
// fragment has it, nor retries that end before a day or never.
func TestNoProfileGivesUpEarly(t *testing.T) {
	queues := 0
	for _, uris := range shipped(t) {
		t.Run(path.Base(uris[len(uris)-1]), func(t *testing.T) {
			for id, exporter := range usedExporters(t, uris) {
				retry, _ := exporter["retry_on_failure"].(map[string]any)
				if _, queued := exporter["sending_queue"]; !queued && retry == nil {
					continue // writes to this machine
				}
				assert.NotEqual(t, false, retry["enabled"], id)
				extent, err := time.ParseDuration(retry["max_elapsed_time"].(string))
				require.NoError(t, err)
				assert.Positive(t, extent, id)
				if queue, _ := exporter["sending_queue"].(map[string]any); queue["storage"] != nil {
					queues++
					assert.Equal(t, 24*time.Hour, extent, id)
				}
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
	assert.Positive(t, queues)
	addRow(&row{name: "04 retry disabled", failed: t.Failed(), notes: []string{fmt.Sprintf("in none of %d shipped configurations", len(shipped(t)))}})
}

// shipped returns each profile, and each fragment over the profile that its name says.
func shipped(t *testing.T) (all [][]string) {
	t.Helper()
	for _, profile := range []string{"agent", "gateway"} {
		all = append(all, []string{"builtin:" + profile})
		fragments, err := fs.Glob(configs.FS, "fragments/"+profile+"-*.yaml")
		require.NoError(t, err)
		for _, fragment := range fragments {
			all = append(all, []string{"builtin:" + profile, "builtin:" + strings.TrimSuffix(fragment, ".yaml")})
		}
	}
	return all
}

// usedExporters returns the settings of the exporters that are in a pipeline, as the
// collector would resolve them with nothing set in the environment.
func usedExporters(t *testing.T, uris []string) map[string]map[string]any {
	t.Helper()
	var config struct {
		Exporters map[string]map[string]any `mapstructure:"exporters"`
		Service   struct {
			Pipelines map[string]struct {
				Exporters []string `mapstructure:"exporters"`
			} `mapstructure:"pipelines"`
		} `mapstructure:"service"`
	}
	require.NoError(t, collectortest.Resolve(t, uris...).Unmarshal(&config, confmap.WithIgnoreUnused()))
	used := map[string]map[string]any{}
	for _, pipeline := range config.Service.Pipelines {
		for _, id := range pipeline.Exporters {
			if exporter, ok := config.Exporters[id]; ok { // and is no connector
				used[id] = exporter
			}
		}
	}
	return used
}
