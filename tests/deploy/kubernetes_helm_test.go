// SPDX-License-Identifier: Apache-2.0

package deploy

import (
	"cmp"
	"encoding/json"
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
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/client-go/util/jsonpath"
	"sigs.k8s.io/yaml"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
	"github.com/otelcol-tc/otelcol-tc/tests/kubeserver"
	"github.com/otelcol-tc/otelcol-tc/tests/testfiles"
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
	for _, c := range testfiles.Cases[struct {
		Values    map[string]any
		File, Set string
		Want      map[string]string
	}](t, "testdata/chart_values.yaml") {
		args := []string{"--set", c.Set}
		if c.File != "" {
			args = []string{"--values", kubeserver.HelmChart + "/ci/" + c.File + "-values.yaml"}
		}
		if c.Values != nil {
			values, err := yaml.Marshal(c.Values)
			require.NoError(t, err)
			args = []string{"--values", collectortest.WriteFile(t, "values.yaml", string(values))}
		}
		objects := renderObjects(t, chartTemplate(args...))
		shown := inJSON(t, objects)
		for path, want := range c.Want {
			query := jsonpath.New(path).AllowMissingKeys(true)
			require.NoError(t, query.Parse("{."+path+"}"))
			var got strings.Builder
			require.NoError(t, query.Execute(&got, shown), path)
			assert.Equal(t, want, got.String(), "%s with %s%s%v", path, c.Set, c.File, c.Values)
		}
		for _, pod := range podsOf(objects) {
			requireVolumes(t, pod)
		}
	}
}

// inJSON returns the pods of agents and gateways, and all objects by their kinds, as JSON has them.
func inJSON(t *testing.T, objects []kubernetesObject) (shown map[string]any) {
	t.Helper()
	all := map[string]any{}
	for _, pod := range podsOf(objects) {
		if name := pod.Spec.Containers[0].Name; name == "otelcol-tc" {
			_, role, _ := strings.Cut(strings.TrimSuffix(pod.Name, "-0"), "otelcol-tc-")
			all[role] = pod
		}
	}
	for _, object := range objects {
		kind := object.GetObjectKind().GroupVersionKind().Kind
		list, _ := all[kind].([]kubernetesObject)
		all[kind] = append(list, object)
	}
	text, err := json.Marshal(all)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &shown))
	return shown
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
