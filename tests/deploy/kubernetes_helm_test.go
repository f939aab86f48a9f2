// SPDX-License-Identifier: Apache-2.0

package deploy

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/yaml"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
	"github.com/otelcol-tc/otelcol-tc/tests/kubeserver"
)

// kustomizeHash is what kustomize puts behind the name of a config map, so that pods are made anew
// when it changes. The chart has an annotation with a checksum for that.
var kustomizeHash = regexp.MustCompile(`^(otelcol-tc-(?:agent|gateway))-[a-z0-9]{10}$`)

// Two ways to the same objects. The release's own namespace is a third one, so that the chart makes both.
func TestKubernetesChartRendersWhatKustomizeRenders(t *testing.T) {
	t.Parallel()
	for kustomize, helm := range map[string]string{"kustomize base": "helm", "kustomize shared-index": "helm shared-index", "kustomize pod-volumes": "helm pod-volumes", "kustomize tls": "helm tls"} {
		t.Run(helm, func(t *testing.T) {
			t.Parallel()
			want := renderedTexts(t, renderObjects(t, kubernetesRenderings[kustomize]))
			command := append(slices.Clone(kubernetesRenderings[helm]), "--namespace", "releases",
				"--set", "gateway.namespace="+kubeserver.GatewayNamespace+",agent.namespace="+kubeserver.AgentNamespace)
			got := renderedTexts(t, renderObjects(t, command))
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
		labels := object.GetLabels()
		unlabel(labels)
		if _, ok := object.(*corev1.ConfigMap); ok {
			labels = nil // the chart's only
		}
		object.SetLabels(labels)
		switch typed := object.(type) {
		case *corev1.ConfigMap:
			typed.Name = kustomizeHash.ReplaceAllString(typed.Name, "$1")
		case *corev1.Namespace:
			typed.Annotations = nil // that helm keeps it
		case *appsv1.DaemonSet:
			unmark(&typed.Spec.Template)
		case *appsv1.StatefulSet:
			unmark(&typed.Spec.Template)
		}
		text, err := yaml.Marshal(object)
		require.NoError(t, err)
		// What belongs to no namespace is named by the release's.
		name := strings.TrimPrefix(object.GetName(), "releases:")
		texts[fmt.Sprintf("%T %s/%s", object, object.GetNamespace(), name)] = strings.ReplaceAll(string(text), "releases:", "")
	}
	return texts
}

// unlabel removes the labels by which charts are known.
func unlabel(labels map[string]string) {
	for _, label := range []string{
		"helm.sh/chart", "app.kubernetes.io/managed-by", "app.kubernetes.io/version", "app.kubernetes.io/instance", "app.kubernetes.io/component",
	} {
		delete(labels, label)
	}
}

func unmark(template *corev1.PodTemplateSpec) {
	unlabel(template.Labels)
	delete(template.Annotations, "checksum/config")
	for _, volume := range template.Spec.Volumes {
		for _, config := range configMapsOf(volume) {
			config.Name = kustomizeHash.ReplaceAllString(config.Name, "$1")
		}
	}
	// kustomize puts those of a patch first. That a variable comes after those that it uses is
	// tested where the pods' processes are started.
	slices.SortFunc(template.Spec.Containers[0].Env, func(a, b corev1.EnvVar) int { return cmp.Compare(a.Name, b.Name) })
}

// The configurations in the chart are links to those of the tree; in a package they are files.
func TestKubernetesChartPackageHoldsTheProfiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	kubeserver.RunTool(t, "helm", "package", kubeserver.HelmChart, "--destination", dir)
	packages, err := filepath.Glob(filepath.Join(dir, "*.tgz"))
	require.NoError(t, err)
	require.Len(t, packages, 1)
	maps := objectsOf[*corev1.ConfigMap](renderObjects(t, []string{"helm", "template", "otelcol-tc", packages[0], "--set", "dashboards.enabled=true"}))
	dashboards, err := filepath.Glob("../../dashboards/*.json")
	require.NoError(t, err)
	maps = slices.DeleteFunc(maps, func(config *corev1.ConfigMap) bool { return config.Name == "otelcol-tc-conventions" }) // of values
	require.Len(t, maps, 2+len(dashboards), "a new dashboard needs a link in deploy/helm/otelcol-tc/files/dashboards")
	for _, config := range maps {
		require.Len(t, config.Data, 1)
		for file, content := range config.Data {
			dir := "../../configs"
			if strings.HasSuffix(file, ".json") {
				dir = "../../dashboards"
				assert.Equal(t, "1", config.Labels["grafana_dashboard"], file)
			}
			source, err := os.ReadFile(filepath.Join(dir, file))
			require.NoError(t, err)
			assert.Equal(t, string(source), content, file)
		}
	}
}

// The operator gets the alerts of dashboards/, each with what to do, and scrapes as they expect.
func TestKubernetesChartForThePrometheusOperator(t *testing.T) {
	t.Parallel()
	documents := strings.Split(string(kubeserver.RunTool(t, "helm", "template", "edge", kubeserver.HelmChart,
		"--set", "prometheusRule.enabled=true,podMonitor.enabled=true", "--show-only", "templates/monitoring.yaml")), "\n---\n")
	require.Len(t, documents, 3)
	var rule struct {
		Kind string
		Spec any
	}
	require.NoError(t, yaml.Unmarshal([]byte(documents[2]), &rule))
	require.Equal(t, "PrometheusRule", rule.Kind)
	source, err := os.ReadFile("../../dashboards/alerts.yaml")
	require.NoError(t, err)
	var alerts any
	require.NoError(t, yaml.Unmarshal(source, &alerts))
	assert.Equal(t, alerts, rule.Spec)

	// The alert CollectorDown asks for this job.
	require.Contains(t, string(source), `up{job="otelcol-tc"}`)
	pods := podsOf(renderObjects(t, []string{"helm", "template", "edge", kubeserver.HelmChart}))
	for _, document := range documents[:2] {
		var monitor struct {
			Kind     string
			Metadata struct{ Name, Namespace string }
			Spec     struct {
				Selector            metav1.LabelSelector
				PodMetricsEndpoints []struct {
					Port        string
					Relabelings []map[string]string
				}
			}
		}
		require.NoError(t, yaml.Unmarshal([]byte(document), &monitor))
		require.Equal(t, "PodMonitor", monitor.Kind)
		selector, err := metav1.LabelSelectorAsSelector(&monitor.Spec.Selector)
		require.NoError(t, err)
		requireOnePod(t, pods, monitor.Metadata.Namespace, selector)
		assert.Equal(t, []map[string]string{{"targetLabel": "job", "replacement": "otelcol-tc"}}, monitor.Spec.PodMetricsEndpoints[0].Relabelings)
		for _, pod := range pods {
			if pod.Namespace == monitor.Metadata.Namespace {
				for _, endpoint := range monitor.Spec.PodMetricsEndpoints {
					requirePort(t, pod, intstr.FromString(endpoint.Port))
				}
			}
		}
	}
}

// What the chart's user sets arrives.
func TestKubernetesChartValues(t *testing.T) {
	t.Parallel()
	values := collectortest.WriteFile(t, "values.yaml", `
image: {repository: registry.example.com/otelcol-tc, tag: 9.9.9, pullSecrets: [pull]}
agent:
  fragments: [agent-dns, agent-tls]
  override: {processors: {naming: {mode: audit}}}
  env: [{name: OTELCOL_TC_RETRY, value: 1h}]
  preStopSeconds: 20
  podAnnotations: {prometheus.io/scrape: "false", example.com/owner: platform}
  service: {trafficDistribution: PreferSameNode}
  volumes: [{name: certificates, secret: {secretName: certificates}}]
  volumeMounts: [{name: certificates, mountPath: /etc/otelcol-tc/tls, readOnly: true}]
gateway:
  namespace: telemetry
  backend: https://backend.example.com:4318
  storage: {size: 20Gi, className: fast}
`)
	objects := renderObjects(t, chartTemplate("--values", values))

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
	config := configMap(t, objects, kubeserver.AgentNamespace, "otelcol-tc-agent")
	assert.YAMLEq(t, "processors: {naming: {mode: audit}}", config.Data["override.yaml"])
	for annotation, want := range map[string]string{"prometheus.io/scrape": "false", "prometheus.io/port": "8888", "example.com/owner": "platform"} {
		assert.Equal(t, want, agent.Annotations[annotation], annotation)
	}
	// The pause is a part of the time that the pod gets to end.
	assert.EqualValues(t, 20, container.Lifecycle.PreStop.Sleep.Seconds)
	assert.EqualValues(t, 75, *agent.Spec.TerminationGracePeriodSeconds)

	// With a policy of its own, traffic would never go to another node.
	for _, service := range objectsOf[*corev1.Service](objects) {
		if service.Namespace == kubeserver.AgentNamespace {
			assert.Nil(t, service.Spec.InternalTrafficPolicy)
			assert.Equal(t, "PreferSameNode", *service.Spec.TrafficDistribution)
		}
	}

	gateway := podIn(t, objects, "telemetry")
	assert.Contains(t, gateway.Spec.Containers[0].Env, corev1.EnvVar{Name: "OTELCOL_TC_BACKEND", Value: "https://backend.example.com:4318"})
	claim := objectsOf[*appsv1.StatefulSet](objects)[0].Spec.VolumeClaimTemplates[0].Spec
	assert.Equal(t, "20Gi", claim.Resources.Requests.Storage().String())
	assert.Equal(t, "fast", *claim.StorageClassName)
}

// Agents find their gateways with other fragments, too.
func TestKubernetesChartAgentsFindGateways(t *testing.T) {
	t.Parallel()
	for set, want := range map[string][]string{
		"agent.fragments={agent-page}":                        {"agent-dns", "agent-page"},
		"agent.fragments={agent-tls,agent-dns}":               {"agent-tls", "agent-dns"},
		"agent.fragments=null":                                {"agent-dns"},
		"agent.fragments={agent-kafka}":                       {"agent-kafka"},
		"agent.env[0].name=OTELCOL_TC_GATEWAYS":               nil,
		"agent.override.exporters.rendezvous.endpoints={g:1}": nil,
	} {
		var got []string
		for _, arg := range podIn(t, renderObjects(t, chartTemplate("--set", set)), kubeserver.AgentNamespace).Spec.Containers[0].Args {
			if fragment, ok := strings.CutPrefix(arg, "--config=builtin:fragments/"); ok {
				got = append(got, fragment)
			}
		}
		assert.Equal(t, want, got, set)
	}
}

// In an umbrella chart, under an alias and behind a condition, several of them.
func TestKubernetesChartInUmbrella(t *testing.T) {
	t.Parallel()
	umbrella := t.TempDir()
	chart, err := filepath.Abs(kubeserver.HelmChart)
	require.NoError(t, err)
	for file, text := range map[string]string{
		"Chart.yaml": "apiVersion: v2\nname: umbrella\nversion: 1.0.0\ndependencies:\n" +
			"  - {name: otelcol-tc, alias: telemetry, version: 0.x, repository: \"file://" + chart + "\", condition: telemetry.enabled}\n" +
			"  - {name: otelcol-tc, version: 0.x, repository: \"file://" + chart + "\", condition: otelcol-tc.enabled}\n",
		"values.yaml": "global: {image: {registry: mirror.example}}\n" +
			"telemetry: {enabled: true, gateway: {enabled: false}, agent: {gatewayName: gateways}}\notelcol-tc: {enabled: true, agent: {enabled: false}}\n",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(umbrella, file), []byte(text), 0o600))
	}
	kubeserver.RunTool(t, "helm", "dependency", "build", umbrella)
	var names []string
	for _, pod := range podsOf(renderObjects(t, []string{"helm", "template", "all", umbrella})) {
		names = append(names, pod.Labels["app.kubernetes.io/name"])
		assert.Equal(t, "mirror.example/otelcol-tc:0.2.0", pod.Spec.Containers[0].Image)
	}
	assert.ElementsMatch(t, []string{"all-telemetry-agent", "all-otelcol-tc-gateway"}, names)
}

// A gateway of this release's own namespace lets in the agents of another release by a label, which is on the
// namespace that the chart makes for these.
func TestKubernetesChartAgentsOfAnotherRelease(t *testing.T) {
	t.Parallel()
	for set, want := range map[string]string{"gateway.enabled=false,agent.gatewayName=central": "true", "agent.enabled=true": ""} {
		for _, namespace := range objectsOf[*corev1.Namespace](renderObjects(t, chartTemplate("--set", set))) {
			assert.Equal(t, want, namespace.Labels["otelcol-tc/sends"], set)
		}
	}
}

// The network policies have the user's rules, and an empty name of a secret means none.
func TestKubernetesChartMoreRules(t *testing.T) {
	t.Parallel()
	objects := renderObjects(t, chartTemplate("--values", kubeserver.HelmChart+"/ci/network-values.yaml"))
	found := 0
	for _, policy := range objectsOf[*networkingv1.NetworkPolicy](objects) {
		for _, rule := range policy.Spec.Egress {
			if len(rule.To) == 1 && rule.To[0].IPBlock != nil && policy.Name == "otelcol-tc-agent" {
				found++
			}
		}
		for _, rule := range policy.Spec.Ingress {
			if rule.Ports != nil && rule.Ports[0].Port.IntValue() == 55690 && policy.Name == "otelcol-tc-gateway" {
				found++
			}
		}
	}
	assert.Equal(t, 2, found)
	objects = renderObjects(t, chartTemplate("--values", kubeserver.HelmChart+"/ci/empty-sections-values.yaml"))
	for _, variable := range podIn(t, objects, kubeserver.GatewayNamespace).Spec.Containers[0].Env {
		assert.NotEqual(t, "OTELCOL_TC_REDIS_PASSWORD", variable.Name)
	}
}

// An umbrella's image wins, and a digest wins over a tag.
func TestKubernetesChartImage(t *testing.T) {
	t.Parallel()
	digest := "sha256:" + strings.Repeat("ab", 32)
	for set, want := range map[string]string{
		"image.registry=a.example,image.tag=1":                         "a.example/otelcol-tc:1",
		"image.tag=1,image.digest=" + digest:                           "otelcol-tc@" + digest,
		"image.registry=a.example,global.image.registry=b.example":     "b.example/otelcol-tc:0.2.0",
		"image.tag=1,global.image.tag=2":                               "otelcol-tc:2",
		"image.tag=1,global.image.tag=2,global.image.digest=" + digest: "otelcol-tc@" + digest,
		"image.tag=1": "otelcol-tc:1",
	} {
		for _, pod := range podsOf(renderObjects(t, chartTemplate("--set-string", set))) {
			assert.Equal(t, want, pod.Spec.Containers[0].Image, set)
		}
	}
}

// The conventions' values arrive at agents and gateways alike, and a pack of the user's is a file beside
// the profile.
func TestKubernetesChartConventions(t *testing.T) {
	t.Parallel()
	values := collectortest.WriteFile(t, "values.yaml", `
conventions:
  unowned: {metrics: repair}
  packFiles: {shop.yaml: "system: shop"}
  services: {"checkout*": {mode: enforce}}
`)
	objects := renderObjects(t, chartTemplate("--values", values))
	for _, namespace := range []string{kubeserver.AgentNamespace, kubeserver.GatewayNamespace} {
		env := podIn(t, objects, namespace).Spec.Containers[0].Env
		for name, value := range map[string]string{
			"MODE": "audit", "UNOWNED": `{"metrics":"repair"}`, "CONTENT": "redact", "SETTINGS": "/etc/otelcol-tc/conventions.yaml",
		} {
			assert.Contains(t, env, corev1.EnvVar{Name: "OTELCOL_TC_" + name, Value: value}, namespace)
		}
	}
	for _, namespace := range []string{kubeserver.AgentNamespace, kubeserver.GatewayNamespace} {
		config := configMap(t, objects, namespace, "otelcol-tc-conventions")
		assert.Equal(t, "system: shop\n", config.Data["shop.yaml"], config.Name)
		assert.YAMLEq(t, `{packs: [/etc/otelcol-tc/shop.yaml, builtin], services: {"checkout*": {mode: enforce}}}`, config.Data["conventions.yaml"], config.Name)
	}
}

// Packs and settings of services change a config map that pods know by the same name, and no pod.
func TestKubernetesConventionsMakeNoNewPods(t *testing.T) {
	t.Parallel()
	for name, commands := range map[string][2][]string{
		"kustomize": {kubernetesRenderings["kustomize base"], kubernetesRenderings["kustomize conventions"]},
		"helm":      {chartTemplate(), chartTemplate("--set", "conventions.services.tuft.mode=enforce", "--set-file", `conventions.packFiles.shop\.yaml=testdata/conventions/shop.yaml`)},
	} {
		t.Run(name, func(t *testing.T) {
			before, after := renderObjects(t, commands[0]), renderObjects(t, commands[1])
			assert.Equal(t, podsOf(before), podsOf(after))
			for _, namespace := range []string{kubeserver.AgentNamespace, kubeserver.GatewayNamespace} {
				conventions := func(objects []kubernetesObject) map[string]string {
					return configMap(t, objects, namespace, "otelcol-tc-conventions").Data
				}
				assert.NotEqual(t, conventions(before)["conventions.yaml"], conventions(after)["conventions.yaml"])
				assert.Contains(t, conventions(after), "shop.yaml")
			}
		})
	}
}

// An agent does not read the logs of agents and gateways, whatever the release's name: each line about a line would
// be a line.
func TestKubernetesAgentsLeaveOutCollectorsLogs(t *testing.T) {
	t.Parallel()
	profile, err := os.ReadFile("../../configs/agent.yaml")
	require.NoError(t, err)
	match := regexp.MustCompile(`exclude: \$\{env:OTELCOL_TC_POD_LOG_EXCLUDE:-(\[.*\])\}`).FindSubmatch(profile)
	require.NotNil(t, match)
	var patterns []string
	require.NoError(t, yaml.Unmarshal(match[1], &patterns))
	for _, pod := range podsOf(renderObjects(t, []string{"helm", "template", "edge", kubeserver.HelmChart})) {
		path := fmt.Sprintf("/var/log/pods/%s_%s_6b1d7c9e/%s/0.log", pod.Namespace, pod.Name, pod.Spec.Containers[0].Name)
		excluded := slices.ContainsFunc(patterns, func(pattern string) bool {
			matched, err := filepath.Match(pattern, path)
			require.NoError(t, err)
			return matched
		})
		assert.True(t, excluded, path)
	}
}
