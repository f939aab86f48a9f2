// SPDX-License-Identifier: Apache-2.0

package usage

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

// 1,000 dashboards of 50 panels take less than 20 s and 300 MiB.
func TestManyDashboards(t *testing.T) {
	collectortest.NeedsMeasuring(t)
	dir := t.TempDir()
	for i := range 1000 {
		text, err := json.MarshalIndent(dashboard(i), "", "  ")
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(dir, fmt.Sprintf("%d.json", i)), text, 0o600))
	}
	command := exec.CommandContext(t.Context(), collectortest.Binary(t), "usage", dir)
	begin := time.Now()
	output, err := command.Output()
	took := time.Since(begin)
	require.NoError(t, err)
	assert.Contains(t, string(output), "\n2000 metrics are read, ")
	state := command.ProcessState
	peak := state.SysUsage().(*syscall.Rusage).Maxrss * 1024
	t.Logf("%v, %v of CPU, %d MiB", took, state.UserTime()+state.SystemTime(), peak/collectortest.MiB)
	collectortest.Within(t, took, 20*time.Second)
	assert.Less(t, peak, int64(300*collectortest.MiB))
}

// dashboard returns a dashboard of 50 panels, each with a query of its own.
func dashboard(i int) map[string]any {
	forms := []string{
		`sum by (model) (rate(shop_%[1]d_total{cluster="$cluster",zone!="%[2]d"}[$__rate_interval]))`,
		`histogram_quantile(0.99, sum by (le, pod) (rate(shop_%[1]d_bucket{cluster="$cluster",zone!="%[2]d"}[5m])))`,
		`max by (node) (shop_%[1]d{instance=~"$instance",zone!="%[2]d"})`,
		`sum(rate(shop_%[1]d_total{code=~"5..",zone!="%[2]d"}[5m])) / sum(rate(shop_%[1]d_total[5m]))`,
		`avg by (gpu) (shop_%[1]d) > %[2]d`,
	}
	var panels []any
	for k := range 50 {
		n := 50*i + k
		panels = append(panels, map[string]any{
			"id": k, "title": fmt.Sprint("Panel ", k), "type": "timeseries", "gridPos": map[string]any{"h": 8, "w": 12, "x": 0, "y": 8 * k},
			"datasource":  map[string]any{"type": "prometheus", "uid": "$source"},
			"fieldConfig": map[string]any{"defaults": map[string]any{"unit": "short", "custom": map[string]any{"lineWidth": 1, "fillOpacity": 10}}},
			"targets":     []any{map[string]any{"refId": "A", "legendFormat": "{{model}}", "expr": fmt.Sprintf(forms[n%len(forms)], n%2000, n)}},
		})
	}
	return map[string]any{"title": fmt.Sprint("Dashboard ", i), "panels": panels}
}
