// SPDX-License-Identifier: Apache-2.0

package fragments

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

// A host's own metrics say by its name which of the agents they come from.
func TestHostMetricsNameTheHost(t *testing.T) {
	t.Parallel()
	name, err := os.Hostname()
	require.NoError(t, err)
	toFile := filepath.Join(t.TempDir(), "to-file.yaml")
	require.NoError(t, os.WriteFile(toFile, []byte(`
exporters: {file/host: {path: "${env:OTELCOL_TC_DATA}/host.json", flush_interval: 100ms}}
service: {pipelines: {metrics/host: {exporters: [file/host]}}}
`), 0o600))
	agent := collectortest.Start(t, collectortest.Options{
		Configs: append(collectortest.WithFragments("agent-host"), toFile),
		Env:     map[string]string{"OTELCOL_TC_HOST_INTERVAL": "1s"},
	})
	var metrics pmetric.Metrics
	collectortest.Eventually(t, collectortest.ArrivalTimeout, func() (bool, string) {
		metrics = agent.MetricsIn(t, "host.json")
		return metrics.DataPointCount() > 0, fmt.Sprint("no metrics of the host in ", agent.DataDir)
	})
	assert.Equal(t, map[string]any{
		"service.name": "host", "service.instance.id": name, "host.name": name, "os.type": "linux",
	}, metrics.ResourceMetrics().At(0).Resource().Attributes().AsRaw())
}
