// SPDX-License-Identifier: Apache-2.0

package main

import (
	"go/format"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/confmap"
)

// TestManifestIsEnough checks that the OpenTelemetry Collector Builder makes the committed components from
// the manifest, and that its main.go has the name, version and providers of ours.
func TestManifestIsEnough(t *testing.T) {
	// The folder is in this module, which has the components. The go command ignores folders with such
	// names.
	dir, err := os.MkdirTemp(".", "_builder-")
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, os.RemoveAll(dir)) })
	manifest, err := os.ReadFile("builder-config.yaml")
	require.NoError(t, err)
	const path = "output_path: _builder\n"
	require.Contains(t, string(manifest), path)
	config := filepath.Join(dir, "builder-config.yaml")
	require.NoError(t, os.WriteFile(config, []byte(strings.Replace(string(manifest), path, "output_path: "+dir+"\n", 1)), 0o600))
	goCommand(t, "tool", "builder", "--config", config, "--skip-get-modules", "--skip-compilation")

	generated, err := os.ReadFile(filepath.Join(dir, "components.go"))
	require.NoError(t, err)
	formatted, err := format.Source(generated)
	require.NoError(t, err)
	committed, err := os.ReadFile("components.go")
	require.NoError(t, err)
	assert.Equal(t, string(committed), string(formatted), "run make generate")

	stock, err := os.ReadFile(filepath.Join(dir, "main.go"))
	require.NoError(t, err)
	ours := settings()
	for _, text := range []string{ours.BuildInfo.Command, ours.BuildInfo.Description, ours.BuildInfo.Version} {
		assert.Contains(t, string(stock), `"`+text+`"`)
	}
	var modules, schemes []string
	for _, match := range regexp.MustCompile(`Scheme\(\):? *:? *"(.*)",`).FindAllStringSubmatch(string(stock), -1) {
		modules = append(modules, match[1])
	}
	var ourModules []string
	for _, factory := range providers() {
		scheme := factory.Create(confmap.ProviderSettings{}).Scheme()
		schemes = append(schemes, scheme)
		ourModules = append(ourModules, ours.ProviderModules[scheme])
	}
	assert.ElementsMatch(t, modules, ourModules)
	assert.Len(t, ours.ProviderModules, len(schemes))
}

func goCommand(t *testing.T, args ...string) {
	t.Helper()
	output, err := exec.CommandContext(t.Context(), "go", args...).CombinedOutput()
	require.NoError(t, err, "%s", output)
}

// TestCommands checks that the subcommands of the stock collector and of this distribution are there. Only
// the latter have exit codes.
func TestCommands(t *testing.T) {
	cmd := newCommand(settings())
	for _, name := range []string{"components", "doctor", "featuregate", "migrate", "print-config", "usage", "validate"} {
		found, _, err := cmd.Find([]string{name})
		require.NoError(t, err)
		assert.Equal(t, name, found.Name())
	}
	assert.Equal(t, 1, exitCode(assert.AnError))
}
