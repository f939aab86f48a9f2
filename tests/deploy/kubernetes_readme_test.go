// SPDX-License-Identifier: Apache-2.0

package deploy

import (
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
	"github.com/otelcol-tc/otelcol-tc/tests/kubeserver"
)

// codeBlocks returns the blocks of code of one language in a document.
func codeBlocks(t *testing.T, file, language string) (blocks []string) {
	t.Helper()
	content, err := os.ReadFile(file)
	require.NoError(t, err)
	for _, block := range regexp.MustCompile("(?s)```"+language+"\n(.*?)```").FindAllStringSubmatch(string(content), -1) {
		blocks = append(blocks, block[1])
	}
	return blocks
}

// codeBlock returns the only block of code of one language in a document.
func codeBlock(t *testing.T, file, language string) string {
	t.Helper()
	blocks := codeBlocks(t, file, language)
	require.Len(t, blocks, 1, "%s in %s", language, file)
	return blocks[0]
}

// The command of the chart's README leads to the backend that it names.
func TestKubernetesChartREADME(t *testing.T) {
	t.Parallel()
	command := strings.Fields(codeBlock(t, "../../deploy/helm/otelcol-tc/README.md", "sh"))
	require.Equal(t, []string{"helm", "install"}, command[:2])
	command[1] = "template"
	for i := range command {
		command[i] = strings.Replace(command[i], "deploy/", "../../deploy/", 1)
	}
	assert.Contains(t, podIn(t, renderObjects(t, command), kubeserver.GatewayNamespace).Spec.Containers[0].Env,
		corev1.EnvVar{Name: "OTELCOL_TC_BACKEND", Value: "https://backend.example.com:4318"})
}

// What the README says to ask a pod answers. The API server's proxy sends the Host header of its own client on, so the
// collector's own metrics answer, and readiness does not: its reasons are in the pod's log.
func TestKubernetesPodsAnswerOperators(t *testing.T) {
	t.Parallel()
	away := collectortest.FreeAddress(t)
	c := collectortest.Start(t, collectortest.Options{Configs: []string{"builtin:agent"}, Env: map[string]string{
		"OTELCOL_TC_NODE": "node-a", "OTELCOL_TC_KUBERNETES_AUTH": "kubeConfig",
		"KUBECONFIG": kubeserver.WriteKubeconfig(t, "https://"+away, collectortest.NewAuthority(t).File, "none"),
	}})
	ask := func(pod, path string) int {
		t.Helper()
		target := &url.URL{Scheme: "http", Host: pod}
		proxy := collectortest.Serve(t, &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(target)
			r.Out.Host = r.In.Host
		}})
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+proxy+path, http.NoBody)
		require.NoError(t, err)
		request.Host = "kubernetes.example:6443"
		response, err := http.DefaultClient.Do(request)
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
		return response.StatusCode
	}
	assert.Equal(t, http.StatusOK, ask(c.Telemetry, "/metrics"))
	assert.Equal(t, http.StatusMisdirectedRequest, ask(c.Readiness, "/"))
	collectortest.Eventually(t, collectortest.ArrivalTimeout, func() (bool, string) {
		return regexp.MustCompile(`A readiness condition has begun\..*"no_pods".*the Kubernetes API is not reachable`).MatchString(c.Logs()), c.Logs()
	})
}
