// SPDX-License-Identifier: Apache-2.0

package security

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

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
	backend := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusBadRequest)
	}))
	t.Cleanup(backend.Close)
	host := strings.TrimPrefix(backend.URL, "http://")
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
