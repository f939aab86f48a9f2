// SPDX-License-Identifier: Apache-2.0

package security

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

const usual = `receivers: {nop: }
processors: {memory_limiter: {check_interval: 1s, limit_mib: 64}}
exporters: {nop: }
service: {telemetry: {metrics: {level: none}}, pipelines: {traces: {receivers: [nop], processors: [memory_limiter], exporters: [nop]}}}
`

// wrongPlaces are settings that refuse a value, in the order of the collector's start: what resolves, reads, validates,
// makes and starts components.
var wrongPlaces = []string{
	`exporters: {otlp_http: {endpoint: "${env:VALUE}"}}`,
	`exporters: VALUE`,
	`exporters: {nop: VALUE}`,
	`exporters: {otlp_http: {endpoint: "http://a", sending_queue: VALUE}}`,
	`exporters: {otlp_http: {endpoint: "http://a", timeout: VALUE}}`,
	`processors: {memory_limiter: {limit_mib: VALUE}}`,
	`receivers: {prometheus: {config: {scrape_configs: VALUE}}}`,
	`receivers: {prometheus: {config: {scrape_configs: [{job_name: a, scrape_interval: VALUE}]}}}`,
	`receivers: {prometheus: {config: {scrape_configs: [{job_name: a, relabel_configs: [{source_labels: [a], regex: "(VALUE"}]}]}}}`,
	`service: {telemetry: {logs: {level: VALUE}}}`,
	`service: {extensions: [VALUE]}`,
	`service: {pipelines: {traces: {exporters: [VALUE]}}}`,
	`service: {pipelines: {traces: VALUE}}`,
	"exporters: {otlp_http: {endpoint: 'http://a:VALUE'}}\nservice: {pipelines: {traces: {exporters: [otlp_http]}}}",
	"exporters: {otlp_http: {endpoint: 'http://a', sending_queue: {storage: VALUE}}}\nservice: {pipelines: {traces: {exporters: [otlp_http]}}}",
	"receivers: {otlp: {protocols: {http: {endpoint: 'VALUE:0'}}}}\nservice: {pipelines: {traces: {receivers: [otlp]}}}",
	"receivers: {otlp: {protocols: {http: {endpoint: '127.0.0.1:0', tls: {cert_file: /VALUE, key_file: /VALUE}}}}}\nservice: {pipelines: {traces: {receivers: [otlp]}}}",
}

// A variable can have a secret, and a file may be mounted from one.
func TestErrorsHaveNoValuesOfVariablesAndFiles(t *testing.T) {
	const marker = "Zq7marker-S3cr3t"
	dir := t.TempDir()
	base, part, mine := filepath.Join(dir, "base.yaml"), filepath.Join(dir, "part"), filepath.Join(dir, "my.yaml")
	require.NoError(t, os.WriteFile(base, []byte(usual), 0o600))
	for _, value := range []string{marker, marker + "-key: {a: " + marker + "}"} {
		t.Setenv("TC_TEST_VALUE", value)
		require.NoError(t, os.WriteFile(part, []byte(value), 0o600))
		for _, place := range wrongPlaces {
			for _, reference := range []string{"${env:TC_TEST_VALUE}", "${file:" + part + "}"} {
				require.NoError(t, os.WriteFile(mine, []byte(strings.ReplaceAll(place, "VALUE", reference)), 0o600))
				for _, command := range [][]string{{"validate"}, {"doctor"}, {"print-config"}} {
					result := collectortest.Run(t, append(command, "--config", base, "--config", mine)...)
					output := result.Stderr
					if command[0] != "print-config" {
						output += result.Stdout
					}
					for _, part := range []string{"Zq7", "S3cr3t"} {
						assert.NotContains(t, output, part, "%s of %s, %s", command[0], place, reference)
					}
				}
			}
		}
	}
}

// The errors of a start are logged, and printed at its end.
func TestErrorsOfTheStartHaveNoValues(t *testing.T) {
	dir := t.TempDir()
	base := filepath.Join(dir, "base.yaml")
	require.NoError(t, os.WriteFile(base, []byte(usual), 0o600))
	t.Setenv("TC_TEST_VALUE", "Zq7marker-S3cr3t")
	for i, setting := range []string{
		"receivers: {otlp: {protocols: {http: {endpoint: '${env:TC_TEST_VALUE}:0'}}}}\nservice: {pipelines: {traces: {receivers: [otlp]}}}",
		"extensions: {file_storage: {directory: '/dev/null/${env:TC_TEST_VALUE}', create_directory: true}}\nservice: {extensions: [file_storage]}",
		"exporters: {file: {path: '/dev/null/${env:TC_TEST_VALUE}'}}\nservice: {pipelines: {traces: {exporters: [file]}}}",
		"exporters: {nop: {a: '${env:TC_TEST_VALUE}', '${env:TC_TEST_VALUE}': 1}}",
	} {
		mine := filepath.Join(dir, "my.yaml")
		require.NoError(t, os.WriteFile(mine, []byte(setting), 0o600))
		result := collectortest.Run(t, "--config", base, "--config", mine)
		assert.NotEqual(t, 0, result.Code)
		assert.NotContains(t, result.Stdout+result.Stderr, "Zq7", setting)
		if i < 3 {
			assert.Contains(t, result.Stderr, "${env:TC_TEST_VALUE}", setting)
		}
	}
}
