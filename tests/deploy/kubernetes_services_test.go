// SPDX-License-Identifier: Apache-2.0

package deploy

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
	"github.com/otelcol-tc/otelcol-tc/tests/kubeserver"
)

// fastDeployLine has the format of a pack that names a service.
const fastDeployLine = "INFO     2026-11-22 10:00:00,123 3100  engine.py[line:412] "

// checkServices checks that the spans, the log lines and the scraped page of a pod are of one service: the one that the
// pod states by itself, else by its annotation, its labels, or its owner.
func checkServices(t *testing.T, k *kubeserver.Server, w *workload, signer *collectortest.Authority) {
	t.Helper()
	w.addPods(t, "services.yaml")
	pods := []struct{ name, ip, service string }{
		{"annotated", "127.0.78.31", "chosen"},
		{"instance", "127.0.78.32", "llama-prefill"},
		{"named", "127.0.78.33", "engine"},
		{"owned", "127.0.78.34", "server"},
	}
	f := newLogFolders(t)
	want := map[string]string{}
	for _, p := range pods {
		dir := filepath.Join(f.pods, workloads+"_"+p.name+"_"+w.uids[p.name], "main")
		collectortest.AppendLines(t, filepath.Join(makeDir(t, dir), "0.log"), inContainer(fastDeployLine+p.name))
		want[p.name] = fmt.Sprintf("%s %s %s main %s", workloads, p.name, w.uids[p.name], p.service)
	}
	// What the line itself states comes from the pod.
	stated := filepath.Join(f.pods, workloads+"_owned_"+w.uids["owned"], "main", "1.log")
	collectortest.AppendLines(t, stated, inContainer(`2026-11-22 10:00:00,123 INFO [app] [a.py:3] [trace_id=0 span_id=0 resource.service.name=sdk trace_sampled=False] - stated`))
	want["stated"] = fmt.Sprintf("%s owned %s main sdk", workloads, w.uids["owned"])

	a := startAgent(t, "node-a", agentKubeconfig(t, k), map[string]string{
		"SSL_CERT_FILE": signer.File, "OTELCOL_TC_POD_LOG_FILES": fmt.Sprintf("[%q]", f.pods+"/*/*/*.log*"), "OTELCOL_TC_POD_WAIT": "2m",
	})
	awaitScraped(t, a, w.want["node-a"])
	for _, p := range pods {
		for sent, service := range map[string]string{"": p.service, "unknown_service": p.service, "unknown_service:python3": p.service, "sdk": "sdk"} {
			resource := map[string]any{}
			if sent != "" {
				resource["service.name"] = sent
			}
			got := a.sendFrom(t, p.ip, resource)
			assert.Equal(t, service, got["service.name"], "%s sends %q", p.name, sent)
			assert.NotContains(t, got, "tc.service.default")
		}
	}
	assert.Equal(t, want, volumeRecords(t, a, len(want)))
	assert.NotContains(t, a.Logs(), "\twarn\t")
}

// Without the API server a pod is the service that it states, or the pack of its lines. An SDK without a name keeps
// what it sent.
func TestServicesWithoutAPIServer(t *testing.T) {
	t.Parallel()
	f := newLogFolders(t)
	collectortest.AppendLines(t, filepath.Join(f.pod(t, "owned"), "0.log"), inContainer(fastDeployLine+"a"))
	a := f.start(t, nil)
	for _, sent := range []string{"unknown_service", "unknown_service:python3", "sdk"} {
		got := a.sendFrom(t, "127.0.78.35", map[string]any{"service.name": sent})
		assert.Equal(t, map[string]any{"service.name": sent}, got)
	}
	assert.NotContains(t, a.sendFrom(t, "127.0.78.35", map[string]any{"a": "b"}), "service.name")
	require.Equal(t, "models owned 6b1d7c9e-0f1d-4c7e-9a55-0c4b1e1a2f3d main FastDeploy", volumeRecords(t, a, 1)["a"])
}
