package deploy

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/otelcol-tc/otelcol-tc/tests/kubeserver"
)

// A real API server takes what ships, and the agents do their work with it.
func TestKubernetesAPIServer(t *testing.T) {
	t.Parallel()
	k := kubeserver.Start(t)
	defer k.End(t)
	// One after the other: each needs what the one before it has installed.
	t.Run("chart", func(t *testing.T) { checkChartInstalls(t, k) })
	t.Run("overlays", func(t *testing.T) { checkOverlaysApply(t, k) })
	t.Run("admission", func(t *testing.T) { checkAdmission(t, k) })
	addNodes(t, k)
	t.Run("pods", func(t *testing.T) { checkPodsServe(t, k) })
	t.Run("agents", func(t *testing.T) { checkAgents(t, k) })
}

func checkChartInstalls(t *testing.T, k *kubeserver.Server) {
	k.Helm(t, "install", "otelcol-tc", kubeserver.HelmChart, "--dry-run=server")
	// Into namespaces of its own: nobody here removes those that are deleted.
	into := []string{"otelcol-tc", kubeserver.HelmChart, "--set", "agent.namespace=chart-agent,gateway.namespace=chart-gateway"}
	k.Helm(t, append([]string{"install"}, into...)...)
	_, err := k.Client.AppsV1().DaemonSets("chart-agent").Get(t.Context(), "otelcol-tc-agent", metav1.GetOptions{})
	require.NoError(t, err)
	k.Helm(t, append([]string{"upgrade", "--values", kubeserver.HelmChart + "/ci/shared-index-values.yaml"}, into...)...)
	scaler, err := k.Client.AutoscalingV2().HorizontalPodAutoscalers("chart-gateway").Get(t.Context(), "otelcol-tc-gateway", metav1.GetOptions{})
	require.NoError(t, err)
	assert.EqualValues(t, 3, *scaler.Spec.MinReplicas)
	k.Helm(t, "uninstall", "otelcol-tc")
	_, err = k.Client.RbacV1().ClusterRoles().Get(t.Context(), "otelcol-tc-agent", metav1.GetOptions{})
	assert.True(t, apierrors.IsNotFound(err), "%v", err)
}

func checkOverlaysApply(t *testing.T, k *kubeserver.Server) {
	for _, overlay := range []string{kubeserver.KustomizeSharedIndex, kubeserver.KustomizeBase} {
		k.Kubectl(t, "apply", "-k", overlay)
		k.Kubectl(t, "apply", "--dry-run=server", "-k", overlay)
		// The server has what was meant, and all of it. kubectl fails where they differ.
		k.Kubectl(t, "diff", "-k", overlay)
	}
}

// The server lets the pods into their own namespaces, and agents into no other.
func checkAdmission(t *testing.T, k *kubeserver.Server) {
	objects := renderObjects(t, kubernetesRenderings["kustomize base"])
	create := func(pod *corev1.Pod, namespace string) error {
		pod = pod.DeepCopy()
		pod.Namespace = namespace
		_, err := k.Client.CoreV1().Pods(namespace).Create(t.Context(), pod, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		return err
	}
	agent, gateway := podIn(t, objects, kubeserver.AgentNamespace), podIn(t, objects, kubeserver.GatewayNamespace)
	require.NoError(t, create(agent, kubeserver.AgentNamespace))
	require.NoError(t, create(gateway, kubeserver.GatewayNamespace))
	agent.Spec.ServiceAccountName = gateway.Spec.ServiceAccountName
	assert.ErrorContains(t, create(agent, kubeserver.GatewayNamespace), `violates PodSecurity "restricted:latest"`)
}
