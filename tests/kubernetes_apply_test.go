package tests

import (
	"crypto/tls"
	"crypto/x509"
	"net/http"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// A real API server takes what ships, and the agents do their work with it.
func TestKubernetesAPIServer(t *testing.T) {
	t.Parallel()
	k := startAPIServer(t)
	defer k.end(t)
	// One after the other: each needs what the one before it has installed.
	t.Run("chart", func(t *testing.T) { checkChartInstalls(t, k) })
	t.Run("overlays", func(t *testing.T) { checkOverlaysApply(t, k) })
	t.Run("admission", func(t *testing.T) { checkAdmission(t, k) })
	addNodes(t, k)
	t.Run("pods", func(t *testing.T) { checkPodsServe(t, k) })
	t.Run("agents", func(t *testing.T) { checkAgents(t, k) })
}

func checkChartInstalls(t *testing.T, k *apiServer) {
	k.helm(t, "install", "otelcol-tc", helmChart, "--dry-run=server")
	// Into namespaces of its own: nobody here removes those that are deleted.
	into := []string{"otelcol-tc", helmChart, "--set", "agent.namespace=chart-agent,gateway.namespace=chart-gateway"}
	k.helm(t, append([]string{"install"}, into...)...)
	_, err := k.client.AppsV1().DaemonSets("chart-agent").Get(t.Context(), "otelcol-tc-agent", metav1.GetOptions{})
	require.NoError(t, err)
	k.helm(t, append([]string{"upgrade", "--values", helmChart + "/ci/shared-index-values.yaml"}, into...)...)
	scaler, err := k.client.AutoscalingV2().HorizontalPodAutoscalers("chart-gateway").Get(t.Context(), "otelcol-tc-gateway", metav1.GetOptions{})
	require.NoError(t, err)
	assert.EqualValues(t, 3, *scaler.Spec.MinReplicas)
	k.helm(t, "uninstall", "otelcol-tc")
	_, err = k.client.RbacV1().ClusterRoles().Get(t.Context(), "otelcol-tc-agent", metav1.GetOptions{})
	assert.True(t, apierrors.IsNotFound(err), "%v", err)
}

func checkOverlaysApply(t *testing.T, k *apiServer) {
	for _, overlay := range []string{kustomizeSharedIndex, kustomizeBase} {
		k.kubectl(t, "apply", "-k", overlay)
		k.kubectl(t, "apply", "--dry-run=server", "-k", overlay)
		// The server has what was meant, and all of it. kubectl fails where they differ.
		k.kubectl(t, "diff", "-k", overlay)
	}
}

// The server lets the pods into their own namespaces, and agents into no other.
func checkAdmission(t *testing.T, k *apiServer) {
	objects := renderObjects(t, kubernetesRenderings["kustomize base"])
	create := func(pod *corev1.Pod, namespace string) error {
		pod = pod.DeepCopy()
		pod.Namespace = namespace
		_, err := k.client.CoreV1().Pods(namespace).Create(t.Context(), pod, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		return err
	}
	agent, gateway := podIn(t, objects, agentNamespace), podIn(t, objects, gatewayNamespace)
	require.NoError(t, create(agent, agentNamespace))
	require.NoError(t, create(gateway, gatewayNamespace))
	agent.Spec.ServiceAccountName = gateway.Spec.ServiceAccountName
	assert.ErrorContains(t, create(agent, gatewayNamespace), `violates PodSecurity "restricted:latest"`)
}

// httpClient trusts the server.
func (k *apiServer) httpClient(t *testing.T) *http.Client {
	t.Helper()
	certificate, err := os.ReadFile(k.authority)
	require.NoError(t, err)
	pool := x509.NewCertPool()
	require.True(t, pool.AppendCertsFromPEM(certificate))
	return &http.Client{
		Timeout:   5 * time.Second,
		Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}, DisableKeepAlives: true},
	}
}
