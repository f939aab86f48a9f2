// SPDX-License-Identifier: Apache-2.0

package doctor

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/confmap/provider/envprovider"
	"go.opentelemetry.io/collector/confmap/provider/yamlprovider"
)

// FuzzDoctor checks that the command ends with one of its exit codes for any two configurations.
func FuzzDoctor(f *testing.F) {
	files, err := filepath.Glob("testdata/*.yaml")
	require.NoError(f, err)
	for _, file := range files {
		content, err := os.ReadFile(file)
		require.NoError(f, err)
		f.Add(string(content), "service::pipelines: {traces: }")
	}
	f.Add("a: &a {b: *a}", "<<: [*a]")
	f.Add("receivers: ${yaml:{nop: }}", "service: {pipelines: {traces: {exporters: [forward], receivers: [forward]}}}")
	f.Add("connectors: {forward: }", "service: {pipelines: {traces: {exporters: [forward], receivers: [forward]}}}")

	set := settings(f)
	// Without providers that read files or use the network.
	set.Providers = set.Values.Wrap([]confmap.ProviderFactory{envprovider.NewFactory(), yamlprovider.NewFactory()})
	f.Fuzz(func(t *testing.T, first, second string) {
		code, _, errOut := runWith(t, set, "--config", "yaml:"+first, "--config", "yaml:"+second)
		assert.Contains(t, []int{0, 1, 2}, code)
		assert.Equal(t, code == 2, errOut != "")
	})
}
