// SPDX-License-Identifier: Apache-2.0

package chaos

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/pmetric/pmetricotlp"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

// What a backend rejects of requests that it accepts is lost, and a counter says how much.
func TestBackendRejects(t *testing.T) {
	t.Parallel()
	s := gatewayScenario(t, "22 backend rejects items of requests that it accepts")
	c, clients := s.start(t)
	s.sink.respond(answer{rejects: true})
	offer(t, clients, traces, 10)
	collectortest.Eventually(t, patience, func() (bool, string) {
		counted := collectortest.Sum(c.SelfMetrics(t)["otelcol_partial_success_rejected_items"], map[string]string{"signal": "traces"})
		return counted == 200, fmt.Sprintf("%v of 200 items counted as rejected", counted)
	})
	s.sink.respond(answer{})
	offer(t, clients, traces, 5)
	s.awaitDeliveries(t, 100)
	assert.Equal(t, 200, s.ledger.tally().dropped)
	s.note("counted as rejected: 200")
}

// Pipes, devices, links and endless files among the logs keep the agent neither from the other
// files nor from ending.
func TestSpecialFiles(t *testing.T) {
	t.Parallel()
	s, runtime, pod := filesScenario(t, "23 special files among logs")
	for _, file := range []*logFile{runtime, pod} {
		file.log(t, 1000)
		makeSpecialFiles(t, filepath.Dir(file.path))
	}
	c, _ := s.start(t)
	runtime.log(t, 1000)
	pod.log(t, 1000)
	s.awaitDelivered(t)
	exit := c.Stop(t)
	assert.Zero(t, exit.Code)
	assert.Less(t, exit.Took, stopLimit)
	assert.Zero(t, s.ledger.tally().doubled)
}

// makeSpecialFiles makes what a pod could make among its logs.
func makeSpecialFiles(t *testing.T, dir string) {
	t.Helper()
	require.NoError(t, syscall.Mkfifo(filepath.Join(dir, "a-pipe.log"), 0o600))
	require.NoError(t, os.Symlink("/dev/zero", filepath.Join(dir, "b-device.log")))
	require.NoError(t, os.Symlink("/etc", filepath.Join(dir, "c-directory.log")))
	sparse, err := os.Create(filepath.Join(dir, "d-sparse.log"))
	require.NoError(t, err)
	require.NoError(t, sparse.Truncate(20<<30))
	require.NoError(t, sparse.Close())
}

// Names of megabytes make neither the page large nor clean clients wait.
func TestLongNames(t *testing.T) {
	t.Parallel()
	s := gatewayScenario(t, "24 metric names of 3.9 MB")
	s.options.Configs = append(s.options.Configs, allOnPage)
	c, clients := s.start(t)
	for i := range 20 {
		ctx, cancel := context.WithTimeout(t.Context(), answerTimeout)
		got, err := overHTTP(ctx, clients, &template{signal: metrics}, longName(t, i))
		cancel()
		require.NoError(t, err, got)
		offer(t, clients, traces, 1)
	}
	s.awaitDelivered(t)
	for name := range c.Scrape(t) {
		assert.LessOrEqual(t, len(name), 255)
	}
	assert.Positive(t, collectortest.Sum(c.SelfMetrics(t)["otelcol_naming_changes"], map[string]string{"rule": "name_length"}))
}

// longName is a request with one metric.
func longName(t *testing.T, i int) []byte {
	t.Helper()
	data := pmetric.NewMetrics()
	metric := data.ResourceMetrics().AppendEmpty().ScopeMetrics().AppendEmpty().Metrics().AppendEmpty()
	metric.SetName(fmt.Sprintf("tc_%d_%s", i, strings.Repeat("x", 3_900_000)))
	metric.SetEmptyGauge().DataPoints().AppendEmpty().SetIntValue(1)
	body, err := pmetricotlp.NewExportRequestFromMetrics(data).MarshalProto()
	require.NoError(t, err)
	return body
}
