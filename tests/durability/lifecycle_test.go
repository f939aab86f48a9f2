// SPDX-License-Identifier: Apache-2.0

package durability

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

const startLimit = 2 * time.Second

// Connections that say nothing, to the receivers and to the exporter's page, keep nobody from ending.
func TestStartsAndStopsInTime(t *testing.T) {
	c := collectortest.Start(t, collectortest.Options{})
	collectortest.Within(t, c.StartTook, startLimit)
	for _, address := range []string{c.GRPC, c.HTTP, c.Prometheus} {
		connection, err := net.Dial("tcp", address)
		require.NoError(t, err)
		defer connection.Close()
	}
	collectortest.RequireSpanPasses(t, c)
	c.Scrape(t)

	exit := c.Stop(t)
	assert.Equal(t, 0, exit.Code)
	collectortest.Within(t, exit.Took, collectortest.StopLimit)
}

// withReadiness are a backend's settings with readiness, and with a processor that asks the Kubernetes API.
func withReadiness(endpoint string, waits bool) []string {
	return []string{collectortest.PlainBackend, fmt.Sprintf(`yaml:{
  extensions: {readiness: {http: {endpoint: %q}, interval: 200ms, grace: 1s}},
  processors: {k8s_attributes: {auth_type: kubeConfig, wait_for_metadata: %t, wait_for_metadata_timeout: 1h}},
  service: {extensions: [health_check, readiness], pipelines: {traces: {processors: [k8s_attributes]}},
    telemetry: {metrics: {level: normal, readers: [{pull: {exporter: {prometheus:
      {host: "${env:OTELCOL_TC_TELEMETRY_HOST}", port: "${env:OTELCOL_TC_TELEMETRY_PORT}"}}}}]}}}}`, endpoint, waits)}
}

// readiness returns the status, and the conditions with their components.
func readiness(t *testing.T, address string) (status int, conditions []string) {
	t.Helper()
	response, err := http.Get("http://" + address)
	require.NoError(t, err)
	defer response.Body.Close()
	var answer struct {
		Conditions []struct{ Condition, Component string }
	}
	require.NoError(t, json.NewDecoder(response.Body).Decode(&answer))
	for _, c := range answer.Conditions {
		conditions = append(conditions, c.Condition+":"+c.Component)
	}
	return response.StatusCode, conditions
}

// The Kubernetes API cannot be reached, or takes connections and never answers: the collector gets work, says what is
// missing, and ends in time.
func TestReadinessWithoutTheKubernetesAPI(t *testing.T) {
	t.Parallel()
	f := func(name, kubeconfig string) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := collectortest.Start(t, collectortest.Options{
				Configs: withReadiness("${env:OTELCOL_TC_READINESS_ENDPOINT}", false), Env: map[string]string{"KUBECONFIG": kubeconfig},
			})
			collectortest.Eventually(t, 2*collectortest.ArrivalTimeout, func() (bool, string) {
				status, conditions := readiness(t, c.Readiness)
				return status == http.StatusOK && slices.Equal(conditions, []string{"no_pods:processor/k8s_attributes"}),
					fmt.Sprintf("readiness answers %d with %v", status, conditions)
			})
			metrics := c.SelfMetrics(t)
			assert.Equal(t, 1.0, collectortest.Sum(metrics["otelcol_readiness_conditions"], map[string]string{"condition": "no_pods"}))
			collectortest.RequireSpanPasses(t, c) // without attributes
			exit := c.Stop(t)
			assert.Equal(t, 0, exit.Code)
			collectortest.Within(t, exit.Took, collectortest.StopLimit)
		})
	}
	f("away", collectortest.Kubeconfig(t, "http://"+collectortest.FreeAddress(t)))
	silent, err := net.Listen("tcp", collectortest.AnyAddress)
	require.NoError(t, err)
	t.Cleanup(func() { _ = silent.Close() })
	f("silent", collectortest.Kubeconfig(t, "http://"+silent.Addr().String()))
}

// As long as the pipelines start, which takes seconds with a processor that waits for the API,
// the answer is 503, and health says nothing yet.
func TestReadinessBeforeThePipelinesRun(t *testing.T) {
	address := collectortest.FreeAddress(t)
	t.Setenv("KUBECONFIG", collectortest.Kubeconfig(t, "http://"+collectortest.FreeAddress(t)))
	configs := withReadiness(address, true)
	// It is killed when the test ends: as it starts, it does not hear signals.
	var ended sync.WaitGroup
	t.Cleanup(ended.Wait)
	ended.Go(func() { collectortest.Run(t, "--config", configs[0], "--config", configs[1]) })
	collectortest.Eventually(t, collectortest.ArrivalTimeout, func() (bool, string) {
		connection, err := net.Dial("tcp", address)
		if err == nil {
			err = connection.Close()
		}
		return err == nil, "readiness is not served"
	})
	status, conditions := readiness(t, address)
	assert.Equal(t, http.StatusServiceUnavailable, status)
	assert.Equal(t, []string{"pipelines_not_running:"}, conditions)
}
