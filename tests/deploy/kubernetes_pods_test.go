// SPDX-License-Identifier: Apache-2.0

package deploy

import (
	"fmt"
	"maps"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
	"github.com/otelcol-tc/otelcol-tc/tests/kubeserver"
)

// podProcess is a pod as a process on this machine: its arguments, its environment and its files,
// the paths of its mounts below a directory.
type podProcess struct {
	root string
	args []string
	env  map[string]string
}

// usedVariable is how the value of a variable uses another.
var usedVariable = regexp.MustCompile(`\$\([A-Z_]+\)`)

// newPodProcess does what the kubelet would.
func newPodProcess(t *testing.T, objects []kubernetesObject, pod *corev1.Pod, ip string) podProcess {
	t.Helper()
	p := podProcess{root: t.TempDir(), env: map[string]string{}}
	container := pod.Spec.Containers[0]
	for _, mount := range container.VolumeMounts {
		p.mount(t, objects, pod, mount)
	}
	for _, variable := range container.Env {
		p.env[variable.Name] = p.below(pod, p.value(t, pod, variable, ip))
	}
	for _, arg := range container.Args {
		flag, path, _ := strings.Cut(arg, "=")
		p.args = append(p.args, flag+"="+p.below(pod, path))
	}
	return p
}

// value is that of a variable, with those before it put in.
func (p podProcess) value(t *testing.T, pod *corev1.Pod, variable corev1.EnvVar, ip string) string {
	t.Helper()
	if variable.ValueFrom == nil {
		return usedVariable.ReplaceAllStringFunc(variable.Value, func(used string) string {
			require.Contains(t, p.env, used[2:len(used)-1], "in %s", variable.Name)
			return p.env[used[2:len(used)-1]]
		})
	}
	if variable.ValueFrom.SecretKeyRef != nil {
		optional := variable.ValueFrom.SecretKeyRef.Optional
		require.True(t, !strings.HasPrefix(variable.Name, "OTELCOL_TC_") || optional != nil && *optional, variable.Name) // of the chart's own
		return ""
	}
	fields := map[string]string{
		"status.podIP": ip, "status.hostIP": ip, "spec.nodeName": "node-a", "metadata.name": pod.Name,
	}
	require.Contains(t, fields, variable.ValueFrom.FieldRef.FieldPath)
	return fields[variable.ValueFrom.FieldRef.FieldPath]
}

// mount makes a mount's files: links to the node's, and copies of what config maps hold.
func (p podProcess) mount(t *testing.T, objects []kubernetesObject, pod *corev1.Pod, mount corev1.VolumeMount) {
	t.Helper()
	path := filepath.Join(p.root, mount.MountPath)
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
	for _, volume := range pod.Spec.Volumes {
		if volume.Name != mount.Name {
			continue
		}
		if volume.HostPath != nil && volume.HostPath.Path != "/var/lib/otelcol-tc" {
			require.NoError(t, os.Symlink(filepath.Join(volume.HostPath.Path, mount.SubPath), path))
			return
		}
		require.NoError(t, os.Mkdir(path, 0o700))
		for _, config := range configMapsOf(volume) {
			for file, content := range configMap(t, objects, pod.Namespace, config.Name).Data {
				content = strings.ReplaceAll(content, `["/etc/otelcol-tc/`, `["`+p.root+"/etc/otelcol-tc/") // paths of packs
				require.NoError(t, os.WriteFile(filepath.Join(path, file), []byte(content), 0o600))
			}
		}
		return
	}
	require.Fail(t, "no such volume", mount.Name)
}

func configMap(t *testing.T, objects []kubernetesObject, namespace, name string) *corev1.ConfigMap {
	t.Helper()
	for _, config := range objectsOf[*corev1.ConfigMap](objects) {
		if config.Namespace == namespace && config.Name == name {
			return config
		}
	}
	require.Fail(t, "no such config map", "%s/%s", namespace, name)
	return nil
}

// below puts a path at or in a mount, or one that leads to mounts, below the process's directory.
func (p podProcess) below(pod *corev1.Pod, value string) string {
	for _, mount := range pod.Spec.Containers[0].VolumeMounts {
		if value == mount.MountPath || strings.HasPrefix(value, mount.MountPath+"/") ||
			strings.HasPrefix(value, "/") && strings.HasPrefix(mount.MountPath, value+"/") {
			return filepath.Join(p.root, value)
		}
	}
	return value
}

// The configurations in the config maps are valid with the environment and the files of their pods, with all kinds of
// values. In what ships doctor finds nothing, and no variable is misspelt.
func TestKubernetesConfigMapsAreValid(t *testing.T) {
	t.Parallel()
	token := collectortest.WriteFile(t, "token", "t")
	renderings := maps.Clone(kubernetesRenderings)
	for name, file := range valueSets(t) {
		if name != "operator" { // whose objects the decoder does not know, and whose configurations are those of the defaults
			renderings["values "+name] = chartTemplate("--values", file)
		}
	}
	for name, rendering := range renderings {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			commands, objects := []string{"validate"}, renderObjects(t, rendering)
			_, ships := kubernetesRenderings[name]
			if ships {
				commands = append(commands, "doctor")
			}
			collectors := 0
			for _, pod := range podsOf(objects) {
				if pod.Spec.Containers[0].Name != "otelcol-tc" {
					continue // Redis
				}
				collectors++
				p := newPodProcess(t, objects, pod, "10.1.2.3")
				if ships {
					requireKnownVariables(t, p)
				}
				p.env["OTELCOL_TC_KUBELET_TOKEN"], p.env["OTELCOL_TC_KUBELET_CA"] = token, token // of the service account
				for _, command := range commands {
					out, err := collectortest.RunBare(t, p.env, command, p.configs())
					require.NoError(t, err, "%s %s %v: %s", command, pod.Name, p.args, out)
				}
			}
			require.Positive(t, collectors)
		})
	}
}

// requireKnownVariables checks that the configurations read all variables that are set for them.
func requireKnownVariables(t *testing.T, p podProcess) {
	t.Helper()
	var read strings.Builder
	for _, arg := range p.args {
		_, path, _ := strings.Cut(arg, "=")
		if name, ok := strings.CutPrefix(path, "builtin:"); ok {
			path = filepath.Join("..", "..", "configs", name+".yaml")
		}
		content, err := os.ReadFile(path)
		require.NoError(t, err)
		read.Write(content)
	}
	for name := range p.env {
		if strings.HasPrefix(name, "OTELCOL_TC_") {
			assert.Contains(t, read.String(), "${env:"+name+":-")
		}
	}
}

// Pods of both kinds and of both families of addresses serve what they declare: the probes get
// what they wait for, and somebody listens at every port.
func checkPodsServe(t *testing.T, k *kubeserver.Server) {
	objects := renderObjects(t, kubernetesRenderings["kustomize base"])
	// On every node there is at least the agent's own pod.
	addPod(t, k, &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "agent"}, Spec: corev1.PodSpec{
		NodeName: "node-a", Containers: []corev1.Container{{Name: "main", Image: "none"}},
	}, Status: corev1.PodStatus{Phase: corev1.PodRunning, PodIP: "127.0.77.1"}})
	for _, pod := range podsOf(objects) {
		// An address that nobody else uses: the ports are fixed.
		for _, ip := range []string{"127.0.77.1", "::1"} {
			t.Run(pod.Namespace+" "+ip, func(t *testing.T) {
				if ip == "::1" && !hasIPv6() {
					t.Skip("no IPv6 on this machine")
				}
				p := newPodProcess(t, objects, pod, ip)
				p.env["OTELCOL_TC_KUBERNETES_AUTH"], p.env["KUBECONFIG"] = "kubeConfig", agentKubeconfig(t, k)
				if pod.Namespace == kubeserver.AgentNamespace {
					p.env["OTELCOL_TC_GATEWAY_NAME"] = "localhost"
				}
				// The harness asks by URL, where brackets are for IPv6 only.
				p.env["OTELCOL_TC_HEALTH_ENDPOINT"] = net.JoinHostPort(ip, containerPort(t, pod, "health"))
				c := collectortest.Start(t, collectortest.Options{Configs: p.configs(), Env: p.env})
				for name, probe := range probesOf(pod) {
					url := "http://" + net.JoinHostPort(ip, containerPort(t, pod, probe.HTTPGet.Port.String())) + probe.HTTPGet.Path
					collectortest.Eventually(t, collectortest.ArrivalTimeout, func() (bool, string) {
						_, err := collectortest.GetPage(t.Context(), url)
						return err == nil, fmt.Sprintf("%s probe: %v", name, err)
					})
				}
				for _, port := range pod.Spec.Containers[0].Ports {
					connection, err := net.DialTimeout("tcp", net.JoinHostPort(ip, fmt.Sprint(port.ContainerPort)), time.Second)
					if assert.NoError(t, err, port.Name) {
						assert.NoError(t, connection.Close())
					}
				}
				_, err := collectortest.GetPage(t.Context(), "http://"+net.JoinHostPort(ip, pod.Annotations["prometheus.io/port"])+"/metrics")
				assert.NoError(t, err)
				require.Zero(t, c.Stop(t).Code)
			})
		}
	}
}

func (p podProcess) configs() []string {
	var configs []string
	for _, arg := range p.args {
		_, config, _ := strings.Cut(arg, "=")
		configs = append(configs, config)
	}
	return configs
}

func containerPort(t *testing.T, pod *corev1.Pod, name string) string {
	t.Helper()
	for _, port := range pod.Spec.Containers[0].Ports {
		if port.Name == name {
			return fmt.Sprint(port.ContainerPort)
		}
	}
	require.Fail(t, "no such port", name)
	return ""
}

func hasIPv6() bool {
	listener, err := net.Listen("tcp6", "[::1]:0")
	if err != nil {
		return false
	}
	return listener.Close() == nil
}
