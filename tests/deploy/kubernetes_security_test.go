// SPDX-License-Identifier: Apache-2.0

package deploy

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/pod-security-admission/api"
	"k8s.io/pod-security-admission/policy"

	"github.com/otelcol-tc/otelcol-tc/tests/kubeserver"
)

// forbidden says what a level of pod security forbids of a pod.
func forbidden(t *testing.T, pod *corev1.Pod, level api.Level) policy.AggregateCheckResult {
	t.Helper()
	evaluator, err := policy.NewEvaluator(policy.DefaultChecks(), nil)
	require.NoError(t, err)
	return policy.AggregateCheckResults(evaluator.EvaluatePod(
		api.LevelVersion{Level: level, Version: api.LatestVersion()}, &pod.ObjectMeta, &pod.Spec))
}

// The namespaces enforce the strictest level that their pods fit, and agents miss the strictest by
// nothing but the node's files and by being root, whom these files belong to.
func TestKubernetesPodSecurity(t *testing.T) {
	t.Parallel()
	forEachRendering(t, func(t *testing.T, objects []kubernetesObject) {
		enforced := map[string]string{}
		for _, namespace := range objectsOf[*corev1.Namespace](objects) {
			enforced[namespace.Name] = namespace.Labels[api.EnforceLevelLabel]
		}
		require.Equal(t, "privileged", enforced[kubeserver.AgentNamespace])
		delete(enforced, kubeserver.AgentNamespace)
		for namespace, level := range enforced {
			assert.Equal(t, "restricted", level, namespace)
		}

		assert.Empty(t, forbidden(t, podIn(t, objects, kubeserver.GatewayNamespace), api.LevelRestricted).ForbiddenReasons)

		agent := podIn(t, objects, kubeserver.AgentNamespace)
		assert.Equal(t, []string{"hostPath volumes"}, forbidden(t, agent, api.LevelBaseline).ForbiddenReasons)
		assert.ElementsMatch(t, []string{"restricted volume types", "runAsNonRoot != true", "runAsUser=0"},
			forbidden(t, agent, api.LevelRestricted).ForbiddenReasons)
	})
}

// What the levels say nothing of.
func TestKubernetesLeastPrivilege(t *testing.T) {
	t.Parallel()
	forEachRendering(t, func(t *testing.T, objects []kubernetesObject) {
		for _, account := range objectsOf[*corev1.ServiceAccount](objects) {
			assert.False(t, *account.AutomountServiceAccountToken, account.Name)
		}
		assert.False(t, *podIn(t, objects, kubeserver.GatewayNamespace).Spec.AutomountServiceAccountToken)
		assert.True(t, *podIn(t, objects, kubeserver.AgentNamespace).Spec.AutomountServiceAccountToken)
		for _, pod := range podsOf(objects) {
			require.Len(t, pod.Spec.Containers, 1)
			container := pod.Spec.Containers[0]
			assert.True(t, *container.SecurityContext.ReadOnlyRootFilesystem)
			assert.Empty(t, container.SecurityContext.Capabilities.Add)
			assert.False(t, pod.Spec.HostNetwork || pod.Spec.HostPID || pod.Spec.HostIPC)
			assert.False(t, container.Resources.Limits.Memory().IsZero(), "Go's memory limit comes from it")
			for _, port := range container.Ports {
				assert.Zero(t, port.HostPort)
			}
			for _, mount := range container.VolumeMounts {
				assert.Equal(t, mount.Name != "state", mount.ReadOnly, mount.Name)
			}
			for _, volume := range pod.Spec.Volumes {
				if volume.HostPath != nil {
					// All secrets of the node and of its pods are in it.
					assert.NotEqual(t, "/", volume.HostPath.Path)
				}
			}
		}
	})
}
