package deploy

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"

	"github.com/otelcol-tc/otelcol-tc/tests/kubeserver"
)

// kustomizeHash is what kustomize puts behind the name of a config map, so that pods are made anew
// when it changes. The chart has an annotation with a checksum for that.
var kustomizeHash = regexp.MustCompile(`^(otelcol-tc-(?:agent|gateway))-[a-z0-9]{10}$`)

// Two ways to the same objects.
func TestKubernetesChartRendersWhatKustomizeRenders(t *testing.T) {
	t.Parallel()
	for kustomize, helm := range map[string]string{"kustomize base": "helm", "kustomize shared-index": "helm shared-index"} {
		t.Run(helm, func(t *testing.T) {
			t.Parallel()
			want := renderedTexts(t, renderObjects(t, kubernetesRenderings[kustomize]))
			got := renderedTexts(t, renderObjects(t, kubernetesRenderings[helm]))
			for id, text := range want {
				assert.Equal(t, text, got[id], id)
			}
			assert.Len(t, got, len(want))
		})
	}
}

// renderedTexts returns each object as text, without the marks of what rendered it.
func renderedTexts(t *testing.T, objects []kubernetesObject) map[string]string {
	t.Helper()
	texts := map[string]string{}
	for _, object := range objects {
		switch typed := object.(type) {
		case *corev1.ConfigMap:
			typed.Name = kustomizeHash.ReplaceAllString(typed.Name, "$1")
		case *appsv1.DaemonSet:
			unmark(&typed.Spec.Template)
		case *appsv1.StatefulSet:
			unmark(&typed.Spec.Template)
		}
		text, err := yaml.Marshal(object)
		require.NoError(t, err)
		texts[fmt.Sprintf("%T %s/%s", object, object.GetNamespace(), object.GetName())] = string(text)
	}
	return texts
}

func unmark(template *corev1.PodTemplateSpec) {
	delete(template.Annotations, "checksum/config")
	for _, volume := range template.Spec.Volumes {
		if volume.ConfigMap != nil {
			volume.ConfigMap.Name = kustomizeHash.ReplaceAllString(volume.ConfigMap.Name, "$1")
		}
	}
	// kustomize puts those of a patch first. That a variable comes after those that it uses is
	// tested where the pods' processes are started.
	slices.SortFunc(template.Spec.Containers[0].Env, func(a, b corev1.EnvVar) int { return cmp.Compare(a.Name, b.Name) })
}

// The configurations in the chart are links to those of the tree; in a package they are files.
func TestKubernetesChartPackageHoldsTheProfiles(t *testing.T) {
	t.Parallel()
	kubeserver.RunTool(t, "helm", "lint", "--strict", kubeserver.HelmChart)
	dir := t.TempDir()
	kubeserver.RunTool(t, "helm", "package", kubeserver.HelmChart, "--destination", dir)
	packages, err := filepath.Glob(filepath.Join(dir, "*.tgz"))
	require.NoError(t, err)
	require.Len(t, packages, 1)
	maps := objectsOf[*corev1.ConfigMap](renderObjects(t, []string{"helm", "template", "otelcol-tc", packages[0]}))
	require.Len(t, maps, 2)
	for _, config := range maps {
		require.Len(t, config.Data, 1)
		for file, content := range config.Data {
			profile, err := os.ReadFile(filepath.Join("..", "..", "configs", file))
			require.NoError(t, err)
			assert.Equal(t, string(profile), content, file)
		}
	}
}

// What the chart's user sets arrives, and what makes no sense is refused by name.
func TestKubernetesChartValues(t *testing.T) {
	t.Parallel()
	values := filepath.Join(t.TempDir(), "values.yaml")
	require.NoError(t, os.WriteFile(values, []byte(`
image: {repository: registry.example.com/otelcol-tc, tag: 9.9.9, pullSecrets: [pull]}
agent:
  fragments: [agent-dns, agent-tls]
  override: {processors: {naming: {mode: audit}}}
  env: [{name: OTELCOL_TC_RETRY, value: 1h}]
  volumes: [{name: certificates, secret: {secretName: certificates}}]
  volumeMounts: [{name: certificates, mountPath: /etc/otelcol-tc/tls, readOnly: true}]
gateway:
  namespace: telemetry
  backend: https://backend.example.com:4318
  storage: {size: 20Gi, className: fast}
`), 0o600))
	objects := renderObjects(t, []string{"helm", "template", "otelcol-tc", kubeserver.HelmChart, "--values", values})

	agent := podIn(t, objects, kubeserver.AgentNamespace)
	container := agent.Spec.Containers[0]
	assert.Equal(t, "registry.example.com/otelcol-tc:9.9.9", container.Image)
	assert.Equal(t, []corev1.LocalObjectReference{{Name: "pull"}}, agent.Spec.ImagePullSecrets)
	assert.Equal(t, []string{"--config=/etc/otelcol-tc/agent.yaml", "--config=builtin:fragments/agent-dns",
		"--config=builtin:fragments/agent-tls", "--config=/etc/otelcol-tc/override.yaml"}, container.Args)
	assert.Contains(t, container.Env, corev1.EnvVar{Name: "OTELCOL_TC_RETRY", Value: "1h"})
	assert.Contains(t, container.Env, corev1.EnvVar{Name: "OTELCOL_TC_GATEWAY_NAME", Value: "otelcol-tc-gateway-headless.telemetry.svc"})
	assert.Contains(t, container.VolumeMounts, corev1.VolumeMount{Name: "certificates", MountPath: "/etc/otelcol-tc/tls", ReadOnly: true})
	requireVolumes(t, agent)
	for _, config := range objectsOf[*corev1.ConfigMap](objects) {
		if config.Namespace == kubeserver.AgentNamespace {
			assert.YAMLEq(t, "processors: {naming: {mode: audit}}", config.Data["override.yaml"])
		}
	}

	gateway := podIn(t, objects, "telemetry")
	assert.Contains(t, gateway.Spec.Containers[0].Env, corev1.EnvVar{Name: "OTELCOL_TC_BACKEND", Value: "https://backend.example.com:4318"})
	claim := objectsOf[*appsv1.StatefulSet](objects)[0].Spec.VolumeClaimTemplates[0].Spec
	assert.Equal(t, "20Gi", claim.Resources.Requests.Storage().String())
	assert.Equal(t, "fast", *claim.StorageClassName)

	refused := func(set, want string) {
		t.Helper()
		out, err := exec.CommandContext(t.Context(), kubeserver.Tool(t, "helm"), "template", "otelcol-tc", kubeserver.HelmChart, "--set", set).CombinedOutput()
		require.Error(t, err)
		assert.Contains(t, string(out), want)
	}
	refused("gateway.backnd=x", "backnd")
	refused("conventions.mode=adit", "/conventions/mode")
	refused(`conventions.packFiles.agent\.yaml=x`, "invalid propertyName 'agent.yaml'")
	refused("gateway.backend=backend:4318", "/gateway/backend")
	refused("agent.fragments={gateway-tls}", "/agent/fragments/0")
}

// The conventions' values arrive at agents and gateways alike, and a pack of the user's is a file beside
// the profile.
func TestKubernetesChartConventions(t *testing.T) {
	t.Parallel()
	values := filepath.Join(t.TempDir(), "values.yaml")
	require.NoError(t, os.WriteFile(values, []byte(`
conventions:
  unowned: {metrics: repair}
  packFiles: {shop.yaml: "system: shop"}
  services: {"checkout*": {mode: enforce}}
`), 0o600))
	objects := renderObjects(t, []string{"helm", "template", "otelcol-tc", kubeserver.HelmChart, "--values", values})
	for _, namespace := range []string{kubeserver.AgentNamespace, "otelcol-tc"} {
		env := podIn(t, objects, namespace).Spec.Containers[0].Env
		for name, value := range map[string]string{
			"MODE": "audit", "UNOWNED": `{"metrics":"repair"}`, "CONTENT": "redact",
			"PACKS": `["/etc/otelcol-tc/shop.yaml","builtin"]`, "SERVICES": `{"checkout*":{"mode":"enforce"}}`,
		} {
			assert.Contains(t, env, corev1.EnvVar{Name: "OTELCOL_TC_" + name, Value: value}, namespace)
		}
	}
	for _, config := range objectsOf[*corev1.ConfigMap](objects) {
		assert.Equal(t, "system: shop\n", config.Data["shop.yaml"], config.Name)
	}
}
