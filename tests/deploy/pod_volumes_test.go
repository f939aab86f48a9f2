// SPDX-License-Identifier: Apache-2.0

package deploy

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/pod-security-admission/api"
	"sigs.k8s.io/yaml"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
	"github.com/otelcol-tc/otelcol-tc/tests/kubeserver"
	"github.com/otelcol-tc/otelcol-tc/tests/tcgen/judge"
)

const volumeExample = "../../deploy/kubernetes/examples/text-logs.yaml"

// volumeOf makes the directory of a pod's emptyDir, as the kubelet does.
func volumeOf(t *testing.T, kubelet, uid, volume string) string {
	t.Helper()
	dir := filepath.Join(kubelet, "pods", uid, "volumes", "kubernetes.io~empty-dir", volume)
	require.NoError(t, os.MkdirAll(dir, 0o700))
	require.NoError(t, os.Chmod(dir, 0o777))
	return dir
}

// volumeRecords returns by the body of each record what is known of it: pod, UID, container and service.
func volumeRecords(t *testing.T, a *nodeAgent, want int) map[string]string {
	t.Helper()
	got := map[string]string{}
	for resource, record := range collectortest.RecordsByResource(collectortest.AwaitRecords(t, a.backend, want)) {
		attribute := func(key string) string {
			return cmp.Or(judge.Text(resource.Attributes(), key), "-")
		}
		got[record.Body().AsString()] = strings.Join([]string{attribute("k8s.namespace.name"), attribute("k8s.pod.name"), attribute("k8s.pod.uid"), attribute("k8s.container.name"), attribute("service.name")}, " ")
	}
	return got
}

// Text logs in an emptyDir have the pod's UID by the kubelet's path, its namespace and name by the folder of its
// containers' logs, and the container by the volume's name, whatever a pod names its files and directories. Nothing
// leads out of a volume, and no other volume is read. The API server is away.
func TestLogsInVolumes(t *testing.T) {
	t.Parallel()
	f := newLogFolders(t)
	kubelet := filepath.Join(t.TempDir(), "kubelet")
	const uid, other = "6b1d7c9e-0f1d-4c7e-9a55-0c4b1e1a2f3d", "7c1d7c9e-0f1d-4c7e-9a55-0c4b1e1a2f3d"
	pod, web := volumeOf(t, kubelet, uid, "otelcol-tc-logs"), volumeOf(t, kubelet, uid, "otelcol-tc-logs-web")
	write := func(path, text string) {
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		collectortest.AppendLines(t, path, text)
	}
	write(filepath.Join(pod, "store.log"), "in the pod")
	write(filepath.Join(web, "deep", "er", "x.log.1"), "WARNING  2026-11-22 10:00:00 3100  engine.py[line:412] in the container")
	// Directories that are named as those of another pod.
	write(filepath.Join(volumeOf(t, pod, other, "otelcol-tc-logs"), "x.log"), "pretends")
	write(filepath.Join(pod, "line\nbreak\xff", "x\ny.log"), "strange name")
	// What has to stay where it is: other volumes, and other files of the node.
	write(filepath.Join(volumeOf(t, kubelet, uid, "cache"), "x.log"), secret)
	write(filepath.Join(volumeOf(t, kubelet, uid, "otelcol-tc-logsx"), "x.log"), secret)
	write(filepath.Join(kubelet, "pods", uid, "volumes", "kubernetes.io~secret", "otelcol-tc-logs", "x.log"), secret)
	special(t, pod, f.outside)
	for name, to := range map[string]string{"dir": f.outside, "up": "../../kubernetes.io~secret/otelcol-tc-logs", "cache.log": "../cache/x.log"} {
		require.NoError(t, os.Symlink(to, filepath.Join(web, name)))
	}
	require.NoError(t, syscall.Mkfifo(filepath.Join(web, "pipe.log"), 0o600))

	makeDir(t, filepath.Join(f.pods, "models_another_"+other))
	makeDir(t, filepath.Join(f.pods, "models_store-0_"+uid))
	a := f.start(t, map[string]string{"OTELCOL_TC_KUBELET": kubelet, "OTELCOL_TC_POD_LOGS": f.pods})
	assert.Equal(t, map[string]string{
		"in the pod":       "models store-0 " + uid + " - -",
		"in the container": "models store-0 " + uid + " web FastDeploy",
		"pretends":         "models store-0 " + uid + " - -",
		"strange name":     "models store-0 " + uid + " - -",
	}, volumeRecords(t, a, 4))
}

// checkVolumeLogs checks that k8s_attributes finds the pod of a log in a volume.
func checkVolumeLogs(t *testing.T, k *kubeserver.Server, w *workload) {
	t.Helper()
	kubelet, runtimes := t.TempDir(), t.TempDir()
	// As the README says for a hostPath whose directory is the pod's UID.
	const uidPath = "/var/log/otelcol-tc/{k8s.pod.uid}/*.log*"
	readme, err := os.ReadFile("../../deploy/kubernetes/README.md")
	require.NoError(t, err)
	require.Contains(t, string(readme), uidPath)
	a := startAgent(t, "node-a", agentKubeconfig(t, k), map[string]string{
		"OTELCOL_TC_KUBELET": kubelet, "OTELCOL_TC_LOG_FILES": fmt.Sprintf("[%q]", runtimes+"/*/*.log*"),
		"OTELCOL_TC_LOG_PATHS": fmt.Sprintf("[{match: %q}]", strings.Replace(uidPath, "/var/log/otelcol-tc", runtimes, 1)),
	})
	a.awaitPods(t)
	a.checkEnriched(t, "127.0.78.99", w.uids["plain"], map[string]any{"k8s.pod.name": "plain", "k8s.pod.uid": w.uids["plain"], "k8s.namespace.name": workloads,
		"k8s.deployment.name": "server", "k8s.node.name": "node-a"})
	collectortest.AppendLines(t, filepath.Join(volumeOf(t, kubelet, w.uids["plain"], "otelcol-tc-logs-web"), "x.log"), "known")
	collectortest.AppendLines(t, filepath.Join(volumeOf(t, kubelet, "0b1d7c9e-0f1d-4c7e-9a55-0c4b1e1a2f3d", "otelcol-tc-logs-web"), "x.log"), "unknown")
	collectortest.AppendLines(t, filepath.Join(makeDir(t, filepath.Join(runtimes, w.uids["plain"])), "x.log"), "host path")
	got := volumeRecords(t, a, 3)
	assert.Equal(t, fmt.Sprintf("%s plain %s - server", workloads, w.uids["plain"]), got["host path"])
	assert.Equal(t, fmt.Sprintf("%s plain %s web server", workloads, w.uids["plain"]), got["known"])
	assert.Equal(t, "- - 0b1d7c9e-0f1d-4c7e-9a55-0c4b1e1a2f3d web web", got["unknown"])
}

// The example is a pod that needs no privilege, and its volume has the name that the agent reads.
func TestVolumeExample(t *testing.T) {
	t.Parallel()
	content, err := os.ReadFile(volumeExample)
	require.NoError(t, err)
	var pod corev1.Pod
	require.NoError(t, yaml.UnmarshalStrict(content, &pod))
	assert.Equal(t, "otelcol-tc-logs-"+pod.Spec.Containers[0].Name, pod.Spec.Volumes[0].Name)
	assert.NotNil(t, pod.Spec.Volumes[0].EmptyDir)
	assert.True(t, forbidden(t, &pod, api.LevelRestricted).Allowed)
}

// Agents see the volumes of pods only where somebody asked for it, and cannot write there.
func TestKubernetesAgentsMountVolumes(t *testing.T) {
	t.Parallel()
	mount := corev1.VolumeMount{Name: "pod-volumes", MountPath: "/var/lib/kubelet/pods", ReadOnly: true}
	for name, command := range kubernetesRenderings {
		mounts := podIn(t, renderObjects(t, command), kubeserver.AgentNamespace).Spec.Containers[0].VolumeMounts
		if strings.HasSuffix(name, "pod-volumes") {
			assert.Contains(t, mounts, mount, name)
			continue
		}
		assert.False(t, slices.ContainsFunc(mounts, func(m corev1.VolumeMount) bool { return strings.HasPrefix(m.MountPath, "/var/lib/kubelet") }), name)
	}
}
