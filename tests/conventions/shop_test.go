// SPDX-License-Identifier: Apache-2.0

package conventions

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
	"github.com/otelcol-tc/otelcol-tc/tests/payload"
)

// pack returns the path of the pack of the shop, which no component knows by itself.
func pack(t *testing.T) string {
	t.Helper()
	path, err := filepath.Abs("testdata/shop.yaml")
	require.NoError(t, err)
	return path
}

// extensions are those of builtin:dev, with the conventions.
const extensions = "[health_check, wire_limits, correlation_index, conventions]"

// overlay writes a configuration that is merged over builtin:dev.
func overlay(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "overlay.yaml")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// shop is telemetry that two services send at a time: a client's span and a server's of another trace for the same order,
// two points that differ by an id, a record that comes twice and states its ids in attributes, and one that the index
// knows the trace of.
type shop struct{ at time.Time }

func (s shop) traces(t *testing.T) ptrace.Traces {
	t.Helper()
	return payload.Traces(t, "testdata/shop_traces.json", s.at)
}

func (s shop) metrics(t *testing.T) pmetric.Metrics {
	t.Helper()
	return payload.Metrics(t, "testdata/shop_metrics.json", s.at)
}

func (s shop) logs(t *testing.T) plog.Logs {
	t.Helper()
	return payload.Logs(t, "testdata/shop_logs.json", s.at)
}

// send sends all telemetry, the spans first so that the index knows them.
func (s shop) send(t *testing.T, c *collectortest.Collector) {
	t.Helper()
	collectortest.PostTraces(t, c, s.traces(t))
	collectortest.PostMetrics(t, c, s.metrics(t))
	collectortest.PostLogs(t, c, s.logs(t))
}
