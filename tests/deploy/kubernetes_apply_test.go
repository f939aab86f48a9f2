// SPDX-License-Identifier: Apache-2.0

package deploy

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/otelcol-tc/otelcol-tc/tests/kubeserver"
)

// A real API server takes what ships, and the agents do their work with it.
func TestKubernetesAPIServer(t *testing.T) {
	t.Parallel()
	k := kubeserver.Start(t)
	defer k.End(t)
	// One after the other: each needs what the one before it has installed.
	t.Run("overlays", func(t *testing.T) { checkOverlaysApply(t, k) })
	t.Run("admission", func(t *testing.T) { checkAdmission(t, k) })
	addNodes(t, k)
	t.Run("pods", func(t *testing.T) { checkPodsServe(t, k) })
	t.Run("agents", func(t *testing.T) { checkAgents(t, k) })
}

func checkOverlaysApply(t *testing.T, k *kubeserver.Server) {
	k.Kubectl(t, "apply", "-k", kubeserver.KustomizeNamespaces)
	for _, overlay := range []string{kubeserver.KustomizeSharedIndex, kubeserver.KustomizeBase} {
		k.Kubectl(t, "apply", "-k", overlay)
		k.Kubectl(t, "apply", "--dry-run=server", "-k", overlay)
		// The server has what was meant, and all of it. kubectl fails where they differ.
		k.Kubectl(t, "diff", "-k", overlay)
	}
	// The namespaces stay, with the volumes and secrets in them.
	k.Kubectl(t, "delete", "--wait=false", "-k", kubeserver.KustomizeSharedIndex)
	requireNamespaces(t, k, kubeserver.AgentNamespace, kubeserver.GatewayNamespace)
	k.Kubectl(t, "apply", "-k", kubeserver.KustomizeBase)
}

// requireNamespaces checks that namespaces are there to stay.
func requireNamespaces(t *testing.T, k *kubeserver.Server, names ...string) {
	t.Helper()
	for _, name := range names {
		namespace, err := k.Client.CoreV1().Namespaces().Get(t.Context(), name, metav1.GetOptions{})
		require.NoError(t, err)
		require.Nil(t, namespace.DeletionTimestamp, "%s is being deleted", name)
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
