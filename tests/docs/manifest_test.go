package docs

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

// The manifest of the page builds a collector that has our components.
func TestDocumentedManifestBuilds(t *testing.T) {
	p := readPage(t, "docs/get-started-collector.md")
	manifest := ""
	for _, b := range p.blocks {
		if b.kind == "yml" && strings.HasPrefix(b.text, "# manifest.yaml\n") {
			manifest = b.text
		}
	}
	const clone, folder = "=> /src/otelcol-tc\n", "output_path: ./my-collector\n"
	require.Contains(t, manifest, clone)
	require.Contains(t, manifest, folder)
	root, dir := collectortest.Root(t), t.TempDir()
	manifest = strings.Replace(manifest, clone, "=> "+root+"\n", 1)
	manifest = strings.Replace(manifest, folder, "output_path: "+filepath.Join(dir, "my-collector")+"\n", 1)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "manifest.yaml"), []byte(manifest), 0o600))
	run := func(name string, args ...string) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), name, args...)
		cmd.Dir = root
		output, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s\n%s", cmd, output)
	}
	run("go", "tool", "builder", "--config", filepath.Join(dir, "manifest.yaml"))

	config := filepath.Join(dir, "config.yaml")
	require.NoError(t, os.WriteFile(config, []byte(`
receivers: {otlp: {protocols: {grpc: {endpoint: 127.0.0.1:0}}}}
processors:
  memory_limiter: {check_interval: 1s, limit_mib: 512}
  naming:
  cardinality:
exporters: {otlp_grpc: {endpoint: 127.0.0.1:14317}}
extensions: {conventions: {mode: audit}}
service:
  extensions: [conventions]
  pipelines:
    metrics: {receivers: [otlp], processors: [memory_limiter, naming, cardinality], exporters: [otlp_grpc]}
`), 0o600))
	run(filepath.Join(dir, "my-collector", "my-collector"), "validate", "--config", config)
}
