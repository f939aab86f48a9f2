// SPDX-License-Identifier: Apache-2.0

package deploy

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
	"github.com/otelcol-tc/otelcol-tc/tests/kubeserver"
	"github.com/otelcol-tc/otelcol-tc/tests/testfiles"
)

// oldChart is the chart of the first release, as helm package made it.
const oldChart = "testdata/otelcol-tc-0.1.0.tgz"

// What a Helm user does with a cluster: all kinds of values, several releases, upgrade and uninstall.
func TestKubernetesChart(t *testing.T) {
	t.Parallel()
	k := kubeserver.Start(t)
	defer k.End(t)
	k.Kubectl(t, "apply", "-f", collectortest.Needs(t, "kubernetes", ".tools/prometheus-operator"))
	k.Kubectl(t, "wait", "--for=condition=Established", "crd", "--all")
	// One after the other, as they use the same namespaces.
	t.Run("upgrade", func(t *testing.T) { checkChartUpgrade(t, k) })
	t.Run("upgrade in its namespace", func(t *testing.T) { checkChartUpgradeInPlace(t, k) })
	t.Run("upgrade of another name", func(t *testing.T) { checkChartUpgradeOtherName(t, k) })
	t.Run("upgrade of the settings", func(t *testing.T) { checkChartUpgradeSettings(t, k) })
	t.Run("releases", func(t *testing.T) { checkChartReleases(t, k) })
	t.Run("redis", func(t *testing.T) { checkChartRedis(t, k) })
	t.Run("kubelet", func(t *testing.T) { checkChartKubelet(t, k) })
	t.Run("notes", func(t *testing.T) { checkChartNotes(t, k) })
	t.Run("values", func(t *testing.T) { checkChartValueSets(t, k) })
}

// An upgrade from the first chart keeps the workloads, and with them volumes and queues. An uninstall keeps
// namespaces, volumes and secrets, and what is kept does not hinder the next install.
func checkChartUpgrade(t *testing.T, k *kubeserver.Server) {
	k.Helm(t, "install", "otelcol-tc", oldChart)
	gateways, agents := k.Client.AppsV1().StatefulSets("otelcol-tc"), k.Client.AppsV1().DaemonSets("otelcol-tc-agent")
	// As the autoscaler and the controllers would.
	k.Kubectl(t, "-n", "otelcol-tc", "scale", "statefulset", "otelcol-tc-gateway", "--replicas=3")
	for i := range 3 {
		addVolumeClaim(t, k, "otelcol-tc", fmt.Sprintf("state-otelcol-tc-gateway-%d", i))
	}
	k.Kubectl(t, "-n", "otelcol-tc", "create", "secret", "generic", "otelcol-tc-redis", "--from-literal=password=p")
	gateway, err := gateways.Get(t.Context(), "otelcol-tc-gateway", metav1.GetOptions{})
	require.NoError(t, err)
	agent, err := agents.Get(t.Context(), "otelcol-tc-agent", metav1.GetOptions{})
	require.NoError(t, err)

	for _, args := range [][]string{{}, {"--reset-then-reuse-values"}, {"--set", "gateway.autoscaling.enabled=true,redis.enabled=false"}} {
		notes := kubeserver.RunTool(t, "helm", append([]string{"--kubeconfig", k.Kubeconfig, "upgrade", "otelcol-tc", kubeserver.HelmChart}, args...)...)
		assert.Contains(t, string(notes), "each gateway links only the spans that it gets itself", "there are three")
		upgraded, err := gateways.Get(t.Context(), "otelcol-tc-gateway", metav1.GetOptions{})
		require.NoError(t, err)
		assert.Equal(t, gateway.UID, upgraded.UID, "another StatefulSet")
		assert.Equal(t, gateway.Spec.Selector, upgraded.Spec.Selector)
		assert.Equal(t, gateway.Spec.VolumeClaimTemplates, upgraded.Spec.VolumeClaimTemplates)
		assert.EqualValues(t, 3, *upgraded.Spec.Replicas, "a gateway that is taken away leaves its queue")
		now, err := agents.Get(t.Context(), "otelcol-tc-agent", metav1.GetOptions{})
		require.NoError(t, err)
		assert.Equal(t, agent.UID, now.UID, "another DaemonSet")
		assert.Equal(t, hostPathOf(t, agent, "state"), hostPathOf(t, now, "state"))
		requireNamespaces(t, k, "otelcol-tc", "otelcol-tc-agent")
	}

	k.Helm(t, "uninstall", "otelcol-tc")
	_, err = gateways.Get(t.Context(), "otelcol-tc-gateway", metav1.GetOptions{})
	require.True(t, apierrors.IsNotFound(err), "%v", err)
	assert.Equal(t, []string{"namespace/otelcol-tc", "namespace/otelcol-tc-agent"}, remaining(t, k))
	requireNamespaces(t, k, "otelcol-tc", "otelcol-tc-agent")
	claims, err := k.Client.CoreV1().PersistentVolumeClaims("otelcol-tc").List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	assert.Len(t, claims.Items, 3)
	_, err = k.Client.CoreV1().Secrets("otelcol-tc").Get(t.Context(), "otelcol-tc-redis", metav1.GetOptions{})
	require.NoError(t, err)

	// Also where Helm keeps the new release elsewhere, which is the convention.
	k.Helm(t, "install", "otelcol-tc", kubeserver.HelmChart, "--namespace", "otelcol-tc")
	_, err = gateways.Get(t.Context(), "otelcol-tc-gateway", metav1.GetOptions{})
	require.NoError(t, err)
	k.Helm(t, "uninstall", "otelcol-tc", "--namespace", "otelcol-tc")
	requireNamespaces(t, k, "otelcol-tc", "otelcol-tc-agent")
	k.Helm(t, "install", "otelcol-tc", kubeserver.HelmChart, "--set", "gateway.namespace=otelcol-tc,agent.namespace=otelcol-tc-agent")
	k.Helm(t, "uninstall", "otelcol-tc")
	requireNamespaces(t, k, "otelcol-tc", "otelcol-tc-agent")
}

// remaining returns what a cluster has of otelcol-tc, of all kinds.
func remaining(t *testing.T, k *kubeserver.Server) []string {
	t.Helper()
	kinds := strings.Fields(string(kubeserver.RunTool(t, "kubectl", "--kubeconfig", k.Kubeconfig, "api-resources", "--verbs=list,delete", "-o", "name")))
	return strings.Fields(string(kubeserver.RunTool(t, "kubectl", "--kubeconfig", k.Kubeconfig, "get", strings.Join(kinds, ","),
		"--all-namespaces", "--selector", "app.kubernetes.io/part-of=otelcol-tc", "-o", "name")))
}

// A release of the first chart that owns the namespace in which Helm keeps it does not lose it.
func checkChartUpgradeInPlace(t *testing.T, k *kubeserver.Server) {
	k.Kubectl(t, "create", "namespace", "own")
	set := []string{"--namespace", "own", "--set", "gateway.namespace=own,agent.namespace=own-agent"}
	k.Helm(t, append([]string{"install", "otelcol-tc", oldChart, "--take-ownership"}, set...)...)
	k.Helm(t, "upgrade", "otelcol-tc", kubeserver.HelmChart, "--namespace", "own")
	requireNamespaces(t, k, "own", "own-agent")
	k.Helm(t, "uninstall", "otelcol-tc", "--namespace", "own")
	requireNamespaces(t, k, "own", "own-agent")
}

// An upgrade that takes settings back removes no gateway, which would leave its queue, and no variable of the chart.
func checkChartUpgradeSettings(t *testing.T, k *kubeserver.Server) {
	state := func() (replicas int32, modes []string) {
		gateway, err := k.Client.AppsV1().StatefulSets("settings").Get(t.Context(), "otelcol-tc-gateway", metav1.GetOptions{})
		require.NoError(t, err)
		for _, variable := range gateway.Spec.Template.Spec.Containers[0].Env {
			if variable.Name == "OTELCOL_TC_MODE" {
				modes = append(modes, variable.Value)
			}
		}
		return *gateway.Spec.Replicas, modes
	}
	k.Kubectl(t, "create", "namespace", "settings")
	for _, step := range []struct {
		set      string
		replicas int32
		mode     string
	}{
		{"gateway.replicas=3,gateway.env[0].name=OTELCOL_TC_MODE,gateway.env[0].value=enforce", 3, "enforce"},
		{"gateway.autoscaling.enabled=true", 3, "audit"},
		{"gateway.autoscaling.enabled=true,gateway.env[0].name=OTELCOL_TC_TIMEOUT,gateway.env[0].value=9s", 3, "audit"},
		{"gateway.replicas=2", 2, "audit"},
		{"gateway.env=null", 2, "audit"},
	} {
		k.Helm(t, "upgrade", "--install", "otelcol-tc", kubeserver.HelmChart, "--namespace", "settings", "--set", step.set)
		replicas, modes := state()
		assert.Equal(t, step.replicas, replicas, step.set)
		assert.Equal(t, []string{step.mode}, modes, step.set)
	}
	k.Helm(t, "uninstall", "otelcol-tc", "--namespace", "settings")
}

// An upgrade of a release of the first chart that would leave its gateways' volumes is refused.
func checkChartUpgradeOtherName(t *testing.T, k *kubeserver.Server) {
	k.Helm(t, "install", "tc", oldChart, "--take-ownership")
	out, err := exec.CommandContext(t.Context(), kubeserver.Tool(t, "helm"), "--kubeconfig", k.Kubeconfig, "upgrade", "tc", kubeserver.HelmChart).CombinedOutput()
	require.Error(t, err)
	assert.Contains(t, string(out), "fullnameOverride: must be otelcol-tc")
	k.Helm(t, "upgrade", "tc", kubeserver.HelmChart, "--set", "fullnameOverride=otelcol-tc")
	_, err = k.Client.AppsV1().StatefulSets("otelcol-tc").Get(t.Context(), "otelcol-tc-gateway", metav1.GetOptions{})
	require.NoError(t, err)
	k.Helm(t, "uninstall", "tc")
}

// As charts are installed by convention: into a namespace that Helm makes, several times.
func checkChartReleases(t *testing.T, k *kubeserver.Server) {
	for _, release := range []struct{ name, namespace, gateway string }{
		{"otelcol-tc", "team-a", "otelcol-tc-gateway"},
		{"otelcol-tc", "team-b", "otelcol-tc-gateway"},
		{"edge", "team-b", "edge-otelcol-tc-gateway"},
	} {
		k.Helm(t, "install", release.name, kubeserver.HelmChart, "--namespace", release.namespace, "--create-namespace")
		_, err := k.Client.AppsV1().StatefulSets(release.namespace).Get(t.Context(), release.gateway, metav1.GetOptions{})
		require.NoError(t, err)
		agents := strings.Replace(release.gateway, "gateway", "agent", 1)
		_, err = k.Client.AppsV1().DaemonSets(release.namespace+"-agent").Get(t.Context(), agents, metav1.GetOptions{})
		require.NoError(t, err)
		k.Kubectl(t, "auth", "can-i", "list", "pods", "--all-namespaces", "--as", "system:serviceaccount:"+release.namespace+"-agent:"+agents)
	}
	// An agent does not start on a node where another one has its directory.
	agents, err := k.Client.AppsV1().DaemonSets(metav1.NamespaceAll).List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	paths := map[string]string{}
	for _, agent := range agents.Items {
		path := hostPathOf(t, &agent, "state")
		assert.NotContains(t, paths, path, "%s in %s", agent.Name, agent.Namespace)
		paths[path] = agent.Name
	}
	assert.Len(t, paths, 3)
	k.Helm(t, "uninstall", "otelcol-tc", "--namespace", "team-a")
	requireNamespaces(t, k, "team-a", "team-a-agent")
	// The others keep what is theirs.
	k.Kubectl(t, "auth", "can-i", "list", "pods", "--all-namespaces", "--as", "system:serviceaccount:team-b-agent:otelcol-tc-agent")
	k.Kubectl(t, "auth", "can-i", "list", "pods", "--all-namespaces", "--as", "system:serviceaccount:team-b-agent:edge-otelcol-tc-agent")
}

// The random password of the chart's own Redis stays.
func checkChartRedis(t *testing.T, k *kubeserver.Server) {
	args := []string{"links", kubeserver.HelmChart, "--namespace", "links", "--set", "redis.enabled=true"}
	password := func() string {
		secret, err := k.Client.CoreV1().Secrets("links").Get(t.Context(), "links-otelcol-tc-redis", metav1.GetOptions{})
		require.NoError(t, err)
		return string(secret.Data["password"])
	}
	k.Helm(t, append([]string{"install", "--create-namespace"}, args...)...)
	first := password()
	assert.Len(t, first, 32)
	k.Helm(t, append([]string{"upgrade"}, args...)...)
	assert.Equal(t, first, password())
}

// The notes say what is linked with the values that are set.
func checkChartNotes(t *testing.T, k *kubeserver.Server) {
	for set, want := range map[string]string{
		"gateway.enabled=true":             "one gateway sees all spans, and links all of them",
		"gateway.autoscaling.enabled=true": "each gateway links only the spans that it gets itself",
		"gateway.replicas=3":               "each gateway links only the spans that it gets itself",
		"redis.enabled=true":               "all gateways share the index in Redis",
		"gateway.redis.endpoint=r:6379":    "all gateways share the index in Redis",
	} {
		notes := kubeserver.RunTool(t, "helm", "--kubeconfig", k.Kubeconfig, "install", "notes", kubeserver.HelmChart, "--dry-run=client", "--set", set)
		assert.Contains(t, string(notes), want, set)
		assert.Contains(t, string(notes), "http://notes-otelcol-tc-agent.default-agent.svc:4317", set)
		// What stays, by the names of the release.
		assert.Contains(t, string(notes), "the namespace default-agent,", set)
		assert.Contains(t, string(notes), "kubectl -n default delete pvc --selector app.kubernetes.io/name=notes-otelcol-tc-gateway", set)
		assert.Contains(t, string(notes), "on each node /var/lib/otelcol-tc-notes-otelcol-tc.default-agent,", set)
	}
}

// The server takes what all kinds of values render, with no field that it does not know, and no warning: neither
// of what is deprecated nor of what the gateways' level of pod security forbids.
func checkChartValueSets(t *testing.T, k *kubeserver.Server) {
	sets := valueSets(t)
	require.GreaterOrEqual(t, len(sets), 20)
	for name, file := range sets {
		k.Kubectl(t, "create", "namespace", name)
		k.Kubectl(t, "create", "namespace", name+"-agent")
		if name != "one-namespace" {
			k.Kubectl(t, "label", "namespace", name, "pod-security.kubernetes.io/warn=restricted")
		}
		manifest := filepath.Join(t.TempDir(), "manifest.yaml")
		require.NoError(t, os.WriteFile(manifest, kubeserver.RunTool(t, "helm", "template", "test", kubeserver.HelmChart,
			"--namespace", name, "--values", file), 0o600))
		k.Kubectl(t, "apply", "--dry-run=server", "--validate=strict", "-f", manifest)
	}
}

// valueSets returns the files of values with which the chart is tried, by name.
func valueSets(t *testing.T) map[string]string {
	t.Helper()
	files, err := filepath.Glob(kubeserver.HelmChart + "/ci/*-values.yaml")
	require.NoError(t, err)
	sets := map[string]string{}
	for _, file := range files {
		sets[strings.TrimSuffix(filepath.Base(file), "-values.yaml")] = file
	}
	return sets
}

func addVolumeClaim(t *testing.T, k *kubeserver.Server, namespace, name string) {
	t.Helper()
	_, err := k.Client.CoreV1().PersistentVolumeClaims(namespace).Create(t.Context(), &corev1.PersistentVolumeClaim{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: corev1.PersistentVolumeClaimSpec{
			AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
			Resources:   corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("10Gi")}},
		},
	}, metav1.CreateOptions{})
	require.NoError(t, err)
}

func hostPathOf(t *testing.T, set *appsv1.DaemonSet, volume string) string {
	t.Helper()
	for _, v := range set.Spec.Template.Spec.Volumes {
		if v.Name == volume {
			return v.HostPath.Path
		}
	}
	require.Fail(t, "no such volume", volume)
	return ""
}

// helm lint has nothing to say, with any values.
func TestKubernetesChartLints(t *testing.T) {
	t.Parallel()
	for name, file := range valueSets(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			kubeserver.RunTool(t, "helm", "lint", "--strict", kubeserver.HelmChart, "--values", file)
		})
	}
}

// What makes no sense is refused by name.
func TestKubernetesChartRefusesValues(t *testing.T) {
	t.Parallel()
	for set, want := range testfiles.Read[map[string]string](t, "testdata/refused_values.yaml") {
		t.Run(set, func(t *testing.T) {
			t.Parallel()
			out, err := exec.CommandContext(t.Context(), kubeserver.Tool(t, "helm"), "template", "otelcol-tc", kubeserver.HelmChart, "--set", set).CombinedOutput()
			require.Error(t, err)
			assert.Contains(t, string(out), want)
		})
	}
}
