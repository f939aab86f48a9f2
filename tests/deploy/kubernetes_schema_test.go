// SPDX-License-Identifier: Apache-2.0

package deploy

import (
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/pod-security-admission/api"
	"k8s.io/pod-security-admission/policy"
	"sigs.k8s.io/yaml"

	"github.com/otelcol-tc/otelcol-tc/tests/kubeserver"
)

// The types of the API know every field that is rendered, and each object is there once, in a
// namespace that is there. The chart does not make its release's own.
func TestKubernetesObjectsDecodeStrictly(t *testing.T) {
	t.Parallel()
	forEachRendering(t, func(t *testing.T, objects []kubernetesObject) {
		namespaces := map[string]bool{"": true, kubeserver.GatewayNamespace: true}
		for _, namespace := range objectsOf[*corev1.Namespace](objects) {
			namespaces[namespace.Name] = true
		}
		seen := map[string]bool{}
		for _, object := range objects {
			id := fmt.Sprintf("%T %s/%s", object, object.GetNamespace(), object.GetName())
			assert.False(t, seen[id], id)
			seen[id] = true
			assert.Contains(t, namespaces, object.GetNamespace(), id)
		}
	})
}

// What selects pods selects those that there are, and only the default deny selects all.
func TestKubernetesSelectorsMatch(t *testing.T) {
	t.Parallel()
	forEachRendering(t, func(t *testing.T, objects []kubernetesObject) {
		pods := podsOf(objects)
		require.Len(t, pods, 2)
		selects := func(object kubernetesObject, selector *metav1.LabelSelector) {
			t.Helper()
			parsed, err := metav1.LabelSelectorAsSelector(selector)
			require.NoError(t, err)
			requireOnePod(t, pods, object.GetNamespace(), parsed)
		}
		for _, set := range objectsOf[*appsv1.DaemonSet](objects) {
			selects(set, set.Spec.Selector)
		}
		for _, set := range objectsOf[*appsv1.StatefulSet](objects) {
			selects(set, set.Spec.Selector)
			for _, constraint := range set.Spec.Template.Spec.TopologySpreadConstraints {
				selects(set, constraint.LabelSelector)
			}
		}
		for _, budget := range objectsOf[*policyv1.PodDisruptionBudget](objects) {
			selects(budget, budget.Spec.Selector)
		}
		for _, policy := range objectsOf[*networkingv1.NetworkPolicy](objects) {
			if policy.Name != "default-deny" {
				selects(policy, &policy.Spec.PodSelector)
			} else {
				assert.Empty(t, policy.Spec.PodSelector)
				assert.Empty(t, policy.Spec.Ingress)
			}
		}
		for _, service := range objectsOf[*corev1.Service](objects) {
			requireOnePod(t, pods, service.Namespace, labels.SelectorFromSet(service.Spec.Selector))
		}
	})
}

func requireOnePod(t *testing.T, pods []*corev1.Pod, namespace string, selector labels.Selector) {
	t.Helper()
	matched := 0
	for _, pod := range pods {
		if pod.Namespace == namespace && selector.Matches(labels.Set(pod.Labels)) {
			matched++
		}
	}
	require.Equal(t, 1, matched, "%s in %s", selector, namespace)
}

// What names another object, a port or a volume names one that is there.
func TestKubernetesReferencesExist(t *testing.T) {
	t.Parallel()
	forEachRendering(t, func(t *testing.T, objects []kubernetesObject) {
		names := map[string]bool{}
		for _, object := range objects {
			names[fmt.Sprintf("%T %s/%s", object, object.GetNamespace(), object.GetName())] = true
		}
		requireObject := func(example kubernetesObject, namespace, name string) {
			t.Helper()
			require.Contains(t, names, fmt.Sprintf("%T %s/%s", example, namespace, name))
		}
		for _, pod := range podsOf(objects) {
			requireObject(&corev1.ServiceAccount{}, pod.Namespace, pod.Spec.ServiceAccountName)
			requireVolumes(t, pod)
			for _, volume := range pod.Spec.Volumes {
				for _, config := range configMapsOf(volume) {
					requireObject(&corev1.ConfigMap{}, pod.Namespace, config.Name)
				}
			}
			for _, probe := range probesOf(pod) {
				requirePort(t, pod, probe.HTTPGet.Port)
			}
		}
		for _, set := range objectsOf[*appsv1.StatefulSet](objects) {
			requireObject(&corev1.Service{}, set.Namespace, set.Spec.ServiceName)
			assert.Nil(t, set.Spec.Replicas, "that is for the HorizontalPodAutoscaler or for kubectl scale to say")
		}
		for _, scaler := range objectsOf[*autoscalingv2.HorizontalPodAutoscaler](objects) {
			require.Equal(t, "StatefulSet", scaler.Spec.ScaleTargetRef.Kind)
			requireObject(&appsv1.StatefulSet{}, scaler.Namespace, scaler.Spec.ScaleTargetRef.Name)
		}
		for _, binding := range objectsOf[*rbacv1.ClusterRoleBinding](objects) {
			requireObject(&rbacv1.ClusterRole{}, "", binding.RoleRef.Name)
			for _, subject := range binding.Subjects {
				requireObject(&corev1.ServiceAccount{}, subject.Namespace, subject.Name)
			}
		}
		for _, service := range objectsOf[*corev1.Service](objects) {
			for _, port := range service.Spec.Ports {
				requirePort(t, podIn(t, objects, service.Namespace), port.TargetPort)
			}
		}
		for _, policy := range objectsOf[*networkingv1.NetworkPolicy](objects) {
			for _, rule := range policy.Spec.Ingress {
				require.NotEmpty(t, rule.From, policy.Name)
				for _, port := range rule.Ports {
					requirePort(t, podIn(t, objects, policy.Namespace), *port.Port)
				}
			}
		}
	})
}

func probesOf(pod *corev1.Pod) map[string]*corev1.Probe {
	container := pod.Spec.Containers[0]
	return map[string]*corev1.Probe{
		"startup": container.StartupProbe, "liveness": container.LivenessProbe, "readiness": container.ReadinessProbe,
	}
}

func requirePort(t *testing.T, pod *corev1.Pod, port intstr.IntOrString) {
	t.Helper()
	for _, declared := range pod.Spec.Containers[0].Ports {
		if declared.Name == port.String() {
			return
		}
	}
	require.Fail(t, "no such port", "%s of %s", port.String(), pod.Name)
}

func requireVolumes(t *testing.T, pod *corev1.Pod) {
	t.Helper()
	mounted, volumes := map[string]bool{}, map[string]bool{}
	for _, mount := range pod.Spec.Containers[0].VolumeMounts {
		mounted[mount.Name] = true
	}
	for _, volume := range pod.Spec.Volumes {
		volumes[volume.Name] = true
	}
	require.Equal(t, volumes, mounted, pod.Name)
}

// One place says which version is deployed, and it is the version of this tree.
func TestKubernetesImageIsOfThisVersion(t *testing.T) {
	t.Parallel()
	manifest, err := os.ReadFile("../../builder-config.yaml")
	require.NoError(t, err)
	var builder struct{ Dist struct{ Version string } }
	require.NoError(t, yaml.Unmarshal(manifest, &builder))
	require.NotEmpty(t, builder.Dist.Version)
	forEachRendering(t, func(t *testing.T, objects []kubernetesObject) {
		for _, pod := range podsOf(objects) {
			assert.Equal(t, "otelcol-tc:"+builder.Dist.Version, pod.Spec.Containers[0].Image)
		}
	})
}

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
