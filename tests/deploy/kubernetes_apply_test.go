// SPDX-License-Identifier: Apache-2.0

package deploy

import (
	"os"
	"regexp"
	"strings"
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
	checkPrune(t, k)
	// The namespaces stay, with the volumes and secrets in them.
	k.Kubectl(t, "delete", "--wait=false", "-k", kubeserver.KustomizeSharedIndex)
	requireNamespaces(t, k, kubeserver.AgentNamespace, kubeserver.GatewayNamespace)
	assert.Equal(t, []string{"namespace/otelcol-tc", "namespace/otelcol-tc-agent", "networkpolicy.networking.k8s.io/default-deny",
		"networkpolicy.networking.k8s.io/default-deny"}, remaining(t, k))
	k.Kubectl(t, "apply", "-k", kubeserver.KustomizeBase)
}

// checkPrune checks that the command of docs/upgrade.md removes the config maps of earlier configurations and no other.
func checkPrune(t *testing.T, k *kubeserver.Server) {
	t.Helper()
	maps := k.Client.CoreV1().ConfigMaps(kubeserver.AgentNamespace)
	names := func() (all []string) {
		list, err := maps.List(t.Context(), metav1.ListOptions{})
		require.NoError(t, err)
		for _, config := range list.Items {
			all = append(all, config.Name)
		}
		return all
	}
	k.Kubectl(t, "-n", kubeserver.AgentNamespace, "create", "configmap", "mine")
	want := names()
	current, err := maps.List(t.Context(), metav1.ListOptions{LabelSelector: "app.kubernetes.io/part-of=otelcol-tc"})
	require.NoError(t, err)
	require.Len(t, current.Items, 2)
	old := current.Items[0]
	old.Name, old.ResourceVersion = "otelcol-tc-agent-0000000000", ""
	_, err = maps.Create(t.Context(), &old, metav1.CreateOptions{})
	require.NoError(t, err)
	page, err := os.ReadFile("../../docs/upgrade.md")
	require.NoError(t, err)
	command := regexp.MustCompile(`(?m)^kubectl (apply -k deploy/kubernetes/base --prune .*) > /dev/null$`).FindSubmatch(page)
	require.NotNil(t, command)
	k.Kubectl(t, strings.Fields(strings.Replace(string(command[1]), "deploy/kubernetes/base", kubeserver.KustomizeBase, 1))...)
	assert.Equal(t, want, names())
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
