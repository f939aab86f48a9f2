// SPDX-License-Identifier: Apache-2.0

package deploy

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"

	"github.com/otelcol-tc/otelcol-tc/tests/kubeserver"
)

// codeBlock is a block of code of one language in a README.
func codeBlock(t *testing.T, file, language string) string {
	t.Helper()
	content, err := os.ReadFile(file)
	require.NoError(t, err)
	blocks := regexp.MustCompile("(?s)```"+language+"\n(.*?)```").FindAllStringSubmatch(string(content), -1)
	require.Len(t, blocks, 1, "%s in %s", language, file)
	return blocks[0][1]
}

// Both ways to install that the README shows lead to the image and the backend that it names.
func TestKubernetesREADME(t *testing.T) {
	t.Parallel()
	const readme = "../../deploy/kubernetes/README.md"
	check := func(t *testing.T, command []string) {
		t.Helper()
		objects := renderObjects(t, command)
		for _, pod := range podsOf(objects) {
			assert.Equal(t, "registry.example.com/otelcol-tc:0.2.0", pod.Spec.Containers[0].Image)
		}
		assert.Contains(t, podIn(t, objects, kubeserver.GatewayNamespace).Spec.Containers[0].Env,
			corev1.EnvVar{Name: "OTELCOL_TC_BACKEND", Value: "https://backend.example.com:4318"})
	}
	t.Run("kustomize", func(t *testing.T) {
		t.Parallel()
		dir, err := filepath.EvalSymlinks(t.TempDir())
		require.NoError(t, err)
		tree, err := filepath.Abs("../..")
		require.NoError(t, err)
		tree, err = filepath.EvalSymlinks(tree)
		require.NoError(t, err)
		tree, err = filepath.Rel(dir, tree)
		require.NoError(t, err)
		text := strings.Replace(codeBlock(t, readme, "yaml"), "../deploy", tree+"/deploy", 1)
		require.NoError(t, os.WriteFile(filepath.Join(dir, "kustomization.yaml"), []byte(text), 0o600))
		check(t, []string{"kubectl", "kustomize", dir})
	})
	for _, file := range []string{readme, "../../deploy/helm/otelcol-tc/README.md"} {
		t.Run("helm "+filepath.Dir(file), func(t *testing.T) {
			t.Parallel()
			command := strings.Fields(strings.ReplaceAll(codeBlock(t, file, "sh"), "\\\n", " "))
			require.Equal(t, []string{"helm", "install"}, command[:2])
			command[1] = "template"
			for i := range command {
				command[i] = strings.Replace(command[i], "deploy/", "../../deploy/", 1)
			}
			check(t, append(command, "--set", "image.repository=registry.example.com/otelcol-tc"))
		})
	}
}
