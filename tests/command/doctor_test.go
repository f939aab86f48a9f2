// SPDX-License-Identifier: Apache-2.0

package command

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

func TestDoctorFindsNothingInTheProfiles(t *testing.T) {
	for _, profile := range []string{"builtin:dev", "builtin:agent", "builtin:gateway"} {
		result := collectortest.Run(t, "doctor", "--config", profile)
		assert.Equal(t, 0, result.Code, profile)
		assert.Empty(t, result.Stdout, profile)
		assert.Empty(t, result.Stderr, profile)
	}
}

// The line is of the file that one has to open: of the changes, or of what they are merged over.
func TestDoctorFindsWhatHurts(t *testing.T) {
	mine := collectortest.WriteFile(t, "my.yaml", `receivers:
  otlp:
    protocols:
      grpc:
        endpoint: 0.0.0.0:4317
exporters:
  otlp:
    endpoint: ${env:OTELCOL_TC_BACKEND}
service:
  pipelines:
    logs:
      exporters: [otlp]
`)
	result := collectortest.Run(t, "doctor", "--config", "builtin:dev", "--config", mine)
	assert.Equal(t, 1, result.Code, result.Stderr)
	for _, want := range []string{
		mine + `:5: warning open-endpoint: receivers::otlp::protocols::grpc::endpoint: "0.0.0.0:4317" is on all interfaces`,
		mine + `:7: note deprecated-name: exporters::otlp: "otlp" is an old name of "otlp_grpc"`,
		mine + `:7: warning memory-queue-behind-log-file: the queue of "otlp"`,
		mine + `:8: note unset-variable: the variable OTELCOL_TC_BACKEND`,
	} {
		assert.Contains(t, result.Stdout, want)
	}
	assert.Regexp(t, `(?m)^builtin:dev:\d+: warning log-file-without-storage: "runtime_log"`, result.Stdout)
	assert.Regexp(t, `(?m)^builtin:dev:\d+: note unused: exporters::file/logs is in no pipeline`, result.Stdout)
}

// Settings of the queue that an exporter of a profile had before spillover have no effect, and a queue that is turned
// on again is one in memory.
func TestDoctorFindsQueuesBehindSpillover(t *testing.T) {
	mine := filepath.Join(t.TempDir(), "my.yaml")
	f := func(profile, content, want string) {
		t.Helper()
		require.NoError(t, os.WriteFile(mine, []byte(content), 0o600))
		result := collectortest.Run(t, "doctor", "--config", profile, "--config", mine)
		assert.Equal(t, 1, result.Code, result.Stderr)
		assert.Equal(t, mine+want+"\n", result.Stdout)
	}
	f("builtin:agent", `exporters:
  rendezvous:
    sending_queue: {queue_size: 1000000, num_consumers: 4}
`, `:3: warning queue-behind-spillover: the queue of "rendezvous" is disabled, so these settings of it have no effect: num_consumers, queue_size `+
		`(set batch and queue_size of "spillover")`)
	f("builtin:gateway", `exporters:
  otlp_http:
    sending_queue: {enabled: true, num_consumers: 1}
`, `:3: warning queue-behind-spillover: what is in the queue of "otlp_http" counts as sent for "spillover" `+
		`(exporters::otlp_http::sending_queue::enabled: false)`)
	f("builtin:gateway", `processors:
  batch:
service:
  pipelines:
    logs/backend:
      processors: [batch]
`, `:6: warning held-behind-spillover: what "batch" in pipeline "logs/backend" holds in memory counts as sent for "spillover" `+
		`(put it before the connector)`)
}

func TestDoctorCannotRead(t *testing.T) {
	f := func(config string, wantInError ...string) {
		t.Helper()
		result := collectortest.Run(t, "doctor", "--config", config)
		assert.Equal(t, 2, result.Code, result.Stdout)
		for _, want := range wantInError {
			assert.Contains(t, result.Stderr, want)
		}
	}
	f("/no/such/file.yaml", "/no/such/file.yaml")
	f("builtin:prod", `unknown built-in configuration "prod"`, "dev")
	f("yaml:- a", "mapping")
}

// doctor reads configurations from wherever the collector does.
func TestDoctorReadsByTheSameProviders(t *testing.T) {
	var components struct{ Providers []struct{ Scheme string } }
	result := collectortest.Run(t, "components")
	require.NoError(t, yaml.Unmarshal([]byte(result.Stdout), &components))
	require.NotEmpty(t, components.Providers)
	const unknown = "unsupported scheme"
	for _, provider := range components.Providers {
		// None of these can be read, and the reason must be another.
		result := collectortest.Run(t, "doctor", "--config", provider.Scheme+":-/-")
		assert.NotContains(t, result.Stderr, unknown, provider.Scheme)
		assert.Equal(t, 2, result.Code, provider.Scheme)
	}
	assert.Contains(t, collectortest.Run(t, "doctor", "--config", "vault:-/-").Stderr, unknown)
}

// Both commands take a time that grows as the configuration does.
func TestManyReceivers(t *testing.T) {
	collectortest.NeedsMeasuring(t)
	took := func(command string, receivers int) time.Duration {
		var declared, named strings.Builder
		for i := range receivers {
			fmt.Fprintf(&declared, "  otlp/%d: {protocols: {grpc: {endpoint: '127.0.0.1:%d'}}}\n", i, 1000+i)
			fmt.Fprintf(&named, "otlp/%d, ", i)
		}
		mine := collectortest.WriteFile(t, "my.yaml", "receivers:\n"+declared.String()+
			"processors: {memory_limiter: {check_interval: 1s, limit_mib: 64}}\nexporters: {nop: }\n"+
			"service: {pipelines: {traces: {receivers: ["+named.String()+"], processors: [memory_limiter], exporters: [nop]}}}\n")
		begin := time.Now()
		result := collectortest.Run(t, command, "--config", mine)
		require.Less(t, result.Code, 2, result.Stderr)
		return time.Since(begin)
	}
	for _, command := range []string{"doctor", "validate"} {
		assert.Less(t, took(command, 20000), 20*took(command, 2000), command)
	}
}

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
		file := collectortest.WriteFile(t, "my.yaml", content)
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
