// SPDX-License-Identifier: Apache-2.0

package command

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

// publicConfigs are rewritten configurations of other projects, each with a file of the findings. A line `# over:` names
// the configuration that one is merged over.
const publicConfigs = "../../internal/command/doctor/testdata/public"

// TestDoctorReadsPublicConfigurations checks doctor with configurations of other distributions. UPDATE_GOLDEN=1 writes
// the findings: read each one, for it must be true and of use.
func TestDoctorReadsPublicConfigurations(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(publicConfigs, "*.yaml"))
	require.NoError(t, err)
	assert.GreaterOrEqual(t, len(files), 15)
	// Configurations without a fault have no warning.
	right := []string{"core-local", "splunk-agent", "splunk-gateway"}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".yaml")
		t.Run(name, func(t *testing.T) {
			content, err := os.ReadFile(file)
			require.NoError(t, err)
			assert.Contains(t, string(content), "Apache-2.0", "the origin and its licence")
			args := []string{"doctor"}
			if _, below, ok := strings.Cut(string(content), "# over: "); ok {
				below, _, _ = strings.Cut(below, "\n")
				args = append(args, "--config", filepath.Join(publicConfigs, below))
			}
			result := collectortest.Run(t, append(args, "--config", file)...)
			assert.Empty(t, result.Stderr)
			assert.Contains(t, []int{0, 1}, result.Code)
			got := strings.ReplaceAll(result.Stdout, publicConfigs+"/", "")
			golden := strings.TrimSuffix(file, ".yaml") + ".findings"
			if os.Getenv("UPDATE_GOLDEN") != "" {
				require.NoError(t, os.WriteFile(golden, []byte(got), 0o600))
			}
			want, err := os.ReadFile(golden)
			require.NoError(t, err)
			assert.Equal(t, string(want), got)
			for _, is := range right {
				if is == name {
					assert.NotContains(t, got, ": warning ")
				}
			}
		})
	}
}

// TestValidateNamesTheLine checks that the errors of validate begin with the file and the line, and name the key.
func TestValidateNamesTheLine(t *testing.T) {
	f := func(content, want string) {
		t.Helper()
		file := filepath.Join(t.TempDir(), "my.yaml")
		require.NoError(t, os.WriteFile(file, []byte(content), 0o600))
		result := collectortest.Run(t, "validate", "--config", file)
		assert.Equal(t, 1, result.Code)
		assert.Contains(t, result.Stderr, fmt.Sprintf("\n%s:%s\n", file, want))
	}
	f("receivers:\n  nop:\n\t- x\n",
		"3: at or after receivers::nop: yaml: line 3: found character that cannot start any token")
	const service = `
receivers: {nop: }
service: {pipelines: {traces: {receivers: [nop], exporters: [otlp_http]}}}
`
	f("exporters:\n  otlp_http:\n    endpoint: http://a\n    sending_queue:\n      num_consumers: many\n"+service,
		"5: exporters::otlp_http: 'num_consumers' expected type 'int', got unconvertible type 'string'")
	f("exporters:\n  otlp_http:\n    endpoint: http://a\n    tomeout: 1s\n"+service,
		"4: exporters::otlp_http: has invalid keys: tomeout")
	f("exporters:\n  otlp_http:\n    endpoint: http://a\n  nosuch:\n"+service,
		"4: exporters::nosuch is not in this distribution, so its settings are not checked")
	f("exporters:\n  debug:\n"+service,
		`5: exporters::otlp_http in pipeline "traces" is not declared`)
}
