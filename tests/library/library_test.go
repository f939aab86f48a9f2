// SPDX-License-Identifier: Apache-2.0

package library

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	root   = "../.."
	module = "github.com/otelcol-tc/otelcol-tc"
)

// The manifest of docs/library.md makes a collector that accepts the page's configuration. The builder writes the
// sources; the modules are those of our go.mod, so that the test needs no network.
func TestDocumentedManifest(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(root, "docs", "library.md"))
	require.NoError(t, err)
	files := map[string]string{}
	for _, match := range regexp.MustCompile("(?s)```yml\n# (\\S+)\n(.*?)```").FindAllStringSubmatch(string(page), -1) {
		files[match[1]] = match[2]
	}
	dir := t.TempDir()
	repository, err := filepath.Abs(root)
	require.NoError(t, err)
	manifest := files["manifest.yaml"]
	for line, here := range map[string]string{"=> ../otelcol-tc\n": "=> " + repository + "\n", "output_path: ./mycol\n": "output_path: " + dir + "\n"} {
		require.Contains(t, manifest, line)
		manifest = strings.Replace(manifest, line, here, 1)
	}
	save(t, filepath.Join(dir, "manifest.yaml"), manifest)
	save(t, filepath.Join(dir, "my.yaml"), files["my.yaml"])
	run(t, root, "go", "tool", "builder", "--config", filepath.Join(dir, "manifest.yaml"), "--skip-get-modules", "--skip-compilation")

	pins, err := os.ReadFile(filepath.Join(root, "go.mod"))
	require.NoError(t, err)
	checkVersions(t, manifest, string(pins))
	pinned := strings.Replace(string(pins), "module "+module+"\n", "module example.com/mycol\n", 1)
	save(t, filepath.Join(dir, "go.mod"), pinned+fmt.Sprintf("\nrequire %s v0.0.0\n\nreplace %s => %s\n", module, module, repository))
	sums, err := os.ReadFile(filepath.Join(root, "go.sum"))
	require.NoError(t, err)
	save(t, filepath.Join(dir, "go.sum"), string(sums))
	run(t, dir, "go", "build", "-mod=mod", "-o", "mycol-binary", ".")

	binary := filepath.Join(dir, "mycol-binary")
	run(t, dir, binary, "validate", "--config", "my.yaml")
	components := run(t, dir, binary, "components")
	for _, name := range []string{"naming", "cardinality", "conventions"} {
		assert.Contains(t, components, "name: "+name)
	}
	wrong := exec.CommandContext(t.Context(), binary, "validate", "--config", "my.yaml", "--config", "yaml:processors::naming::mode: sometimes")
	wrong.Dir = dir
	output, err := wrong.CombinedOutput()
	assert.Error(t, err)
	assert.Contains(t, string(output), "sometimes", "our own rules count")
}

// checkVersions checks that the modules of the manifest are those that our components are compiled with.
func checkVersions(t *testing.T, manifest, pins string) {
	t.Helper()
	modules := regexp.MustCompile(`gomod: (go\.opentelemetry\.io/\S+ v\S+)`).FindAllStringSubmatch(manifest, -1)
	assert.Greater(t, len(modules), 3)
	for _, match := range modules {
		assert.Contains(t, pins, "\t"+match[1]+"\n")
	}
}

func save(t *testing.T, path, content string) {
	t.Helper()
	require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
}

func run(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	output, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", output)
	return string(output)
}
