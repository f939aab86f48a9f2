// SPDX-License-Identifier: Apache-2.0

package security

import (
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
	"github.com/otelcol-tc/otelcol-tc/tests/testfiles"
)

// A secret is in nothing that the collector shows: its log at the most talkative level while all
// that needs the secret fails, its configuration as it prints it, its pages and its files.
func TestSecretsAreNotShown(t *testing.T) {
	t.Parallel()
	const redisPassword, kafkaPassword, backendToken, agentsToken = "redis-s3cret", "kafka-s3cret", "backend-s3cret", "agents-s3cret"
	p, nowhere := newPKI(t), "127.0.0.1:1"
	env := map[string]string{
		"OTELCOL_TC_INDEX": "redis", "OTELCOL_TC_REDIS_ENDPOINT": nowhere, "OTELCOL_TC_REDIS_PASSWORD": redisPassword,
		"OTELCOL_TC_KAFKA_BROKERS": `["` + nowhere + `"]`, "OTELCOL_TC_KAFKA_PASSWORD": kafkaPassword, "OTELCOL_TC_KAFKA_CA": p.authority.File,
		"OTELCOL_TC_BACKEND": "http://" + nowhere, "OTELCOL_TC_BACKEND_TOKEN_FILE": string(newTokenFile(t, backendToken)),
		"OTELCOL_TC_AGENT_TOKEN_FILE": string(newTokenFile(t, agentsToken)),
	}
	maps.Copy(env, p.environment())
	configs := append(collectortest.WithFragments("gateway-tls", "gateway-bearer", "gateway-backend-bearer", "gateway-kafka", "gateway-kafka-sasl"),
		"yaml:{extensions: {bearertokenauth/backend: {token: inline-s3cret}}, service: {telemetry: {logs: {level: debug}}}}")
	gateway := collectortest.Start(t, collectortest.Options{Configs: configs, Env: env})
	_, status, err := spanOverHTTP(t, gateway.HTTP, trusting(t, p.authority, "", ""), agentsToken)
	require.NoError(t, err)
	require.Equal(t, collectortest.Accepted, status)
	_, status, err = spanOverHTTP(t, gateway.HTTP, trusting(t, p.authority, "", ""), "guessed-s3cret")
	require.NoError(t, err)
	require.NotEqual(t, collectortest.Accepted, status)
	collectortest.Eventually(t, collectortest.ArrivalTimeout, func() (bool, string) {
		log := gateway.Logs()
		return strings.Contains(log, "Exporting failed") && strings.Contains(log, "unable to open connection to broker"), "nothing has failed yet"
	})

	printed, err := collectortest.RunBare(t, env, "print-config", configs)
	require.NoError(t, err, printed)
	require.Contains(t, printed, "[REDACTED]")
	shown := gateway.Outputs(t)
	require.Contains(t, shown, "the report")
	shown["print-config"] = printed
	collectortest.RequireNowhere(t, shown, "s3cret")
}

// print-config shows no password that is in a URL, of all profiles, unless it is told to.
func TestPrintConfigRedactsUserInfo(t *testing.T) {
	const mine = `yaml:
receivers:
  prometheus/more:
    config:
      scrape_configs:
        - job_name: more
          http_sd_configs: [{url: "http://sd:s3cret@127.0.0.1:1/targets"}]
          static_configs: [{targets: ["127.0.0.1:2"], labels: {origin: "http://scrape:s3cret@127.0.0.1:2/a"}}]
exporters:
  otlp_http/more:
    endpoint: http://user:s3cret@127.0.0.1:3
`
	for _, profile := range []string{"builtin:dev", "builtin:agent", "builtin:gateway"} {
		for _, args := range [][]string{{}, {"--format", "json"}} {
			args = append([]string{"print-config", "--config", profile, "--config", mine}, args...)
			result := collectortest.Run(t, args...)
			require.Equal(t, 0, result.Code, result.Stderr)
			assert.NotContains(t, result.Stdout+result.Stderr, "s3cret", args)
			for _, address := range []string{"1/targets", "2/a", "3"} {
				assert.Contains(t, result.Stdout, "http://REDACTED@127.0.0.1:"+address, args)
			}
			result = collectortest.Run(t, append(args, "--mode", "unredacted")...)
			require.Equal(t, 0, result.Code, result.Stderr)
			assert.Contains(t, result.Stdout, "http://user:s3cret@127.0.0.1:3", args)
		}
	}
}

// What is wrong with a configuration is said without the password, also where the URL is.
func TestErrorsRedactUserInfo(t *testing.T) {
	const wrong = "http://user:pass/hunter2@127.0.0.1"
	f := func(command, config string, code int) (stderr string) {
		t.Helper()
		result := collectortest.Run(t, command, "--config", "builtin:dev", "--config", "yaml:"+config)
		assert.Equal(t, code, result.Code, command)
		if strings.Contains(result.Stdout+result.Stderr, "hunter2") {
			t.Errorf("%s shows a password", command)
		}
		return result.Stderr
	}
	const endpoint, mode = "exporters::otlp_http/more: {endpoint: '" + wrong + "'}", "processors::naming::mode: " + wrong
	f("validate", endpoint, 0)
	f("doctor", endpoint, 0) // a note: no pipeline has the exporter
	for _, command := range []string{"validate", "print-config"} {
		assert.Contains(t, f(command, mode, 1), `(got "http://REDACTED@127.0.0.1")`, command)
	}
}

// An exporter that fails quotes its endpoint in the log.
func TestLogRedactsUserInfo(t *testing.T) {
	t.Parallel()
	host := collectortest.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusBadRequest)
	}))
	c := collectortest.Start(t, collectortest.Options{Configs: []string{
		"builtin:dev",
		`yaml:{exporters: {otlp_http/more: {endpoint: "http://user:s3cret@` + host + `", sending_queue: {enabled: false}}},
service: {telemetry: {logs: {level: debug}}, pipelines: {traces/more: {receivers: [otlp], exporters: [otlp_http/more]}}}}`,
	}})
	collectortest.SendSpan(t, c, "span", 1)
	collectortest.Eventually(t, collectortest.ArrivalTimeout, func() (bool, string) {
		log := c.Logs()
		return strings.Contains(log, "http://REDACTED@"+host), "no line has the endpoint:\n" + log
	})
	assert.NotContains(t, c.Logs(), "s3cret")
}

const usual = `receivers: {nop: }
processors: {memory_limiter: {check_interval: 1s, limit_mib: 64}}
exporters: {nop: }
service: {telemetry: {metrics: {level: none}}, pipelines: {traces: {receivers: [nop], processors: [memory_limiter], exporters: [nop]}}}
`

// A variable can have a secret, and a file may be mounted from one.
func TestErrorsHaveNoValuesOfVariablesAndFiles(t *testing.T) {
	const marker = "Zq7marker-S3cr3t"
	dir := t.TempDir()
	base, part, mine := filepath.Join(dir, "base.yaml"), filepath.Join(dir, "part"), filepath.Join(dir, "my.yaml")
	require.NoError(t, os.WriteFile(base, []byte(usual), 0o600))
	for _, value := range []string{marker, marker + "-key: {a: " + marker + "}"} {
		t.Setenv("TC_TEST_VALUE", value)
		require.NoError(t, os.WriteFile(part, []byte(value), 0o600))
		for _, place := range testfiles.Cases[string](t, "testdata/wrong_places.yaml") {
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
