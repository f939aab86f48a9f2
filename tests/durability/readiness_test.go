// SPDX-License-Identifier: Apache-2.0

package durability

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/internal/loopback"
	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

// The Kubernetes API cannot be reached, or takes connections and never answers: the collector gets work, says what is
// missing, and ends in time.
func TestReadinessWithoutTheKubernetesAPI(t *testing.T) {
	t.Parallel()
	f := func(name, kubeconfig string) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			backend := startSpanBackend(t, http.StatusOK)
			c := startForwarding(t, backend.URL, map[string]string{"KUBECONFIG": kubeconfig}, `{
  processors: {k8s_attributes: {auth_type: kubeConfig, wait_for_metadata: false}},
  service: {pipelines: {traces: {processors: [k8s_attributes]}}}}`)
			c.waitReady(t, "no_pods:processor/k8s_attributes")
			metrics := c.SelfMetrics(t)
			assert.Equal(t, 1.0, collectortest.Sum(metrics["otelcol_readiness_conditions"], map[string]string{"condition": "no_pods"}))
			require.Equal(t, http.StatusOK, collectortest.SendSpan(t, c.Collector, "without attributes", 1))
			collectortest.Eventually(t, collectortest.ArrivalTimeout, func() (bool, string) {
				return backend.took("without attributes"), "the span has not arrived"
			})
			exit := c.Stop(t)
			assert.Equal(t, 0, exit.Code)
			collectortest.Within(t, exit.Took, collectortest.StopLimit)
		})
	}
	f("away", kubeconfigOfNobody(t))
	silent, err := net.Listen("tcp", collectortest.AnyAddress)
	require.NoError(t, err)
	t.Cleanup(func() { _ = silent.Close() })
	f("silent", kubeconfigOf(t, silent.Addr().String()))
}

// As long as the pipelines start, which takes seconds with a processor that waits for the API,
// the answer is 503, and health says nothing yet.
func TestReadinessBeforeThePipelinesRun(t *testing.T) {
	addresses, err := loopback.FreeAddresses(2)
	require.NoError(t, err)
	t.Setenv("KUBECONFIG", kubeconfigOfNobody(t))
	t.Setenv("TC_BACKEND", "http://"+addresses[0])
	t.Setenv("TC_READINESS", addresses[1])
	file := filepath.Join(t.TempDir(), "forwarding.yaml")
	require.NoError(t, os.WriteFile(file, []byte(forwarding), 0o600))
	// It is killed when the test ends: as it starts, it does not hear signals.
	var ended sync.WaitGroup
	t.Cleanup(ended.Wait)
	ended.Go(func() {
		collectortest.Run(t, "--config", file, "--config", `yaml:{
  processors: {k8s_attributes: {auth_type: kubeConfig, wait_for_metadata: true, wait_for_metadata_timeout: 1h}},
  service: {pipelines: {traces: {processors: [k8s_attributes]}}}}`)
	})
	var a asked
	a.address = addresses[1]
	collectortest.Eventually(t, collectortest.ArrivalTimeout, func() (bool, string) {
		connection, err := net.Dial("tcp", a.address)
		if err == nil {
			err = connection.Close()
		}
		return err == nil, "readiness is not served"
	})
	status, conditions := a.ask(t)
	assert.Equal(t, http.StatusServiceUnavailable, status)
	assert.Equal(t, []string{"pipelines_not_running:"}, conditions)
}

// kubeconfigOfNobody leads to an API server that is not there.
func kubeconfigOfNobody(t *testing.T) string {
	t.Helper()
	addresses, err := loopback.FreeAddresses(1)
	require.NoError(t, err)
	return kubeconfigOf(t, addresses[0])
}

// kubeconfigOf leads to an API server at an address, as nobody.
func kubeconfigOf(t *testing.T, address string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "kubeconfig")
	require.NoError(t, os.WriteFile(file, fmt.Appendf(nil, `
apiVersion: v1
kind: Config
clusters: [{name: away, cluster: {server: "http://%s"}}]
users: [{name: nobody, user: {}}]
contexts: [{name: away, context: {cluster: away, user: nobody}}]
current-context: away
`, address), 0o600))
	return file
}
