// SPDX-License-Identifier: Apache-2.0

package deploy

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"

	"github.com/otelcol-tc/otelcol-tc/tests/kubeserver"
)

// codeBlocks returns the blocks of code of one language in a document.
func codeBlocks(t *testing.T, file, language string) (blocks []string) {
	t.Helper()
	content, err := os.ReadFile(file)
	require.NoError(t, err)
	for _, block := range regexp.MustCompile("(?s)```"+language+"\n(.*?)```").FindAllStringSubmatch(string(content), -1) {
		blocks = append(blocks, block[1])
	}
	return blocks
}

// codeBlock returns the only block of code of one language in a document.
func codeBlock(t *testing.T, file, language string) string {
	t.Helper()
	blocks := codeBlocks(t, file, language)
	require.Len(t, blocks, 1, "%s in %s", language, file)
	return blocks[0]
}

// The command of the chart's README leads to the backend that it names.
func TestKubernetesChartREADME(t *testing.T) {
	t.Parallel()
	command := strings.Fields(codeBlock(t, "../../deploy/helm/otelcol-tc/README.md", "sh"))
	require.Equal(t, []string{"helm", "install"}, command[:2])
	command[1] = "template"
	for i := range command {
		command[i] = strings.Replace(command[i], "deploy/", "../../deploy/", 1)
	}
	assert.Contains(t, podIn(t, renderObjects(t, command), kubeserver.GatewayNamespace).Spec.Containers[0].Env,
		corev1.EnvVar{Name: "OTELCOL_TC_BACKEND", Value: "https://backend.example.com:4318"})
}
