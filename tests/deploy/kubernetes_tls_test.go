// SPDX-License-Identifier: Apache-2.0

package deploy

import (
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
	"github.com/otelcol-tc/otelcol-tc/tests/kubeserver"
	"github.com/otelcol-tc/otelcol-tc/tests/payload"
)

// The page about TLS, followed command by command, for releases of other names, too: the cluster gets what agents and
// gateways need to trust each other, by the name that agents check, and a gateway takes nothing without.
func TestKubernetesTLSPage(t *testing.T) {
	t.Parallel()
	k := kubeserver.Start(t)
	defer k.End(t)
	for release, namespace := range map[string]string{"otelcol-tc": "otelcol-tc", "edge": "telemetry"} {
		t.Run(release, func(t *testing.T) {
			k.Helm(t, "install", release, kubeserver.HelmChart, "--namespace", namespace, "--create-namespace")
			followTLSPage(t, k, release, namespace)
			gateways, err := k.Client.AppsV1().StatefulSets(namespace).List(t.Context(), metav1.ListOptions{})
			require.NoError(t, err)
			agents, err := k.Client.AppsV1().DaemonSets(namespace+"-agent").List(t.Context(), metav1.ListOptions{})
			require.NoError(t, err)
			fragments, env := secured(t, k, namespace, &gateways.Items[0].Spec.Template.Spec)
			gateway, files := collectortest.FileGateway(t, env, fragments...)

			agent := &agents.Items[0].Spec.Template.Spec
			fragments, env = secured(t, k, namespace+"-agent", agent)
			_, env["OTELCOL_TC_GATEWAY_PORT"], err = net.SplitHostPort(gateway.GRPC)
			require.NoError(t, err)
			// The name of the service is looked up nowhere here, but checked.
			env["OTELCOL_TC_GATEWAY_NAME"], env["OTELCOL_TC_GATEWAY_SERVER_NAME"] = "localhost", variableOf(t, agent, "OTELCOL_TC_GATEWAY_NAME")
			sender := collectortest.Start(t, collectortest.Options{Configs: append(collectortest.WithFragments("agent-host"), fragments...), Env: env})
			collectortest.RequireArrived(t, files, payload.PostJob(t, sender, payload.PutName, ""))

			response, err := http.Post("http://"+gateway.HTTP+"/v1/traces", "application/json", strings.NewReader("{}"))
			require.NoError(t, err)
			assert.NoError(t, response.Body.Close())
			assert.Equal(t, http.StatusBadRequest, response.StatusCode, "without TLS")
		})
	}
}

// followTLSPage runs the page's commands for a release.
func followTLSPage(t *testing.T, k *kubeserver.Server, release, namespace string) {
	t.Helper()
	script := strings.Join(codeBlocks(t, "../../docs/kubernetes-tls.md", "sh"), "")
	for _, words := range [][2]string{
		{"gateways=otelcol-tc\n", "gateways=" + namespace + "\n"},
		{"agents=otelcol-tc-agent\n", "agents=" + namespace + "-agent\n"},
		{"upgrade otelcol-tc ", "upgrade " + release + " "},
	} {
		require.Contains(t, script, words[0])
		script = strings.Replace(script, words[0], words[1], 1)
	}
	dir := t.TempDir()
	deploy, err := filepath.Abs("../../deploy")
	require.NoError(t, err)
	require.NoError(t, os.Symlink(deploy, filepath.Join(dir, "deploy")))
	cmd := exec.CommandContext(t.Context(), "bash", "-eu", "-c", script)
	cmd.Dir = dir
	cmd.Env = []string{"HOME=" + dir, "KUBECONFIG=" + k.Kubeconfig, "PATH=" + filepath.Dir(kubeserver.Tool(t, "kubectl")) + ":" + os.Getenv("PATH")}
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
}

// secured returns the fragments of a pod, and the variables that lead them to files as the pod mounts them from a
// secret.
func secured(t *testing.T, k *kubeserver.Server, namespace string, pod *corev1.PodSpec) (fragments []string, env map[string]string) {
	t.Helper()
	root := t.TempDir()
	for _, mount := range pod.Containers[0].VolumeMounts {
		for _, volume := range pod.Volumes {
			if volume.Name != mount.Name || volume.Secret == nil {
				continue
			}
			secret, err := k.Client.CoreV1().Secrets(namespace).Get(t.Context(), volume.Secret.SecretName, metav1.GetOptions{})
			require.NoError(t, err)
			for file, content := range secret.Data {
				path := filepath.Join(root, mount.MountPath, file)
				require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
				require.NoError(t, os.WriteFile(path, content, 0o600))
			}
		}
	}
	env = map[string]string{}
	for _, arg := range pod.Containers[0].Args {
		fragment, ok := strings.CutPrefix(arg, "--config=builtin:")
		if !ok {
			continue
		}
		fragments = append(fragments, "builtin:"+fragment)
		content, err := os.ReadFile(filepath.Join("../../configs", fragment+".yaml"))
		require.NoError(t, err)
		for _, file := range regexp.MustCompile(`\$\{env:(\w+):-(/etc/[^}]+)\}`).FindAllStringSubmatch(string(content), -1) {
			env[file[1]] = filepath.Join(root, file[2])
		}
	}
	require.NotEmpty(t, env, "%s: %v", namespace, fragments)
	return fragments, env
}

func variableOf(t *testing.T, pod *corev1.PodSpec, name string) string {
	t.Helper()
	for _, variable := range pod.Containers[0].Env {
		if variable.Name == name {
			return variable.Value
		}
	}
	require.Fail(t, "no such variable", name)
	return ""
}
