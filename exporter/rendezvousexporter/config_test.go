// SPDX-License-Identifier: Apache-2.0

package rendezvousexporter

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/exporter/exportertest"
	"go.yaml.in/yaml/v3"

	"github.com/otelcol-tc/otelcol-tc/exporter/rendezvousexporter/internal/metadata"
)

func parse(t *testing.T, text string) (*Config, error) {
	var raw map[string]any
	require.NoError(t, yaml.Unmarshal([]byte(text), &raw))
	cfg := NewFactory().CreateDefaultConfig().(*Config)
	require.NoError(t, confmap.NewFromStringMap(raw).Unmarshal(cfg))
	return cfg, confmap.Validate(cfg)
}

func TestErrorsNameKeyRuleAndValue(t *testing.T) {
	f := func(text, want string) {
		t.Helper()
		_, err := parse(t, text)
		assert.EqualError(t, err, want)
	}
	f(`endpoints: [gateway]`, `endpoints: must each be host:port (got "gateway")`)
	f(`endpoints: [":4317"]`, `endpoints: must each be host:port (got ":4317")`)
	f(`endpoints: ["gateway:0"]`, `endpoints: must each be host:port (got "gateway:0")`)
	f(`endpoints: ["gateway:http"]`, `endpoints: must each be host:port (got "gateway:http")`)
	f(`endpoints: ["http://gateway:4317"]`, `endpoints: must each be host:port (got "http://gateway:4317")`)
	f(`endpoints: ["gateway:1", "gateway:1"]`, `endpoints: must differ (got "gateway:1" twice)`)
	f(`{endpoints: ["gateway:1"], dns: {hostname: gateway}}`, `dns::hostname: must not be set together with endpoints (got "gateway" and ["gateway:1"])`)
	for _, name := range []string{"gateway:4317", "dns:///gateway", "gateway/", "gate way", "gateway\n"} {
		f(fmt.Sprintf(`dns: {hostname: %q}`, name),
			fmt.Sprintf(`dns::hostname: must be a name without colons, slashes and spaces, the port is dns::port (got %q)`, name))
	}
	f(`dns: {hostname: gateway, port: 0}`, `dns::port: must be from 1 to 65535 (got 0)`)
	f(`dns: {hostname: gateway, port: 70000}`, `dns::port: must be from 1 to 65535 (got 70000)`)
	f(`dns: {hostname: gateway, interval: 10ms}`, `dns::interval: must be at least 1s (got 10ms)`)
	f(`dns: {hostname: gateway, timeout: 0s}`, `dns::timeout: must be positive (got 0s)`)
	f(`{endpoints: ["gateway:1"], timeout: 0s}`, `timeout: must be positive (got 0s)`)
	f(`{endpoints: ["gateway:1"], client: {endpoint: "gateway:2"}}`, `client::endpoint: must not be set, because endpoints or dns set the address (got "gateway:2")`)
	f(`{endpoints: ["gateway:1"], client: {wait_for_ready: true}}`, `client::wait_for_ready: must be false, so that data goes to another endpoint if its own is away (got true)`)

	_, err := parse(t, `{endpoints: ["gateway:1"], sending_queue: {queue_size: 0}}`)
	assert.ErrorContains(t, err, "sending_queue: `queue_size` must be positive")
	_, err = parse(t, `{endpoints: ["gateway:1"], client: {tls: {min_version: "9"}}}`)
	assert.ErrorContains(t, err, "client::tls: ")
}

func TestSettings(t *testing.T) {
	cfg, err := parse(t, `
endpoints: ["gateway-0:4317", "[::1]:4317"]
timeout: 7s
client:
  compression: none
  headers: {tenant: a}
  tls: {insecure: true}
sending_queue: {wait_for_result: true, sizer: bytes, queue_size: 10000000, batch: {flush_timeout: 1s}}
retry_on_failure: {max_elapsed_time: 24h}
`)
	require.NoError(t, err)
	assert.Equal(t, []string{"gateway-0:4317", "[::1]:4317"}, cfg.Endpoints)
	assert.True(t, cfg.SendingQueue.Get().WaitForResult)
	assert.True(t, cfg.SendingQueue.Get().Batch.HasValue())
	assert.Equal(t, 24*time.Hour, cfg.RetryOnFailure.MaxElapsedTime)
	assert.True(t, cfg.RetryOnFailure.Enabled)
	assert.True(t, cfg.Client.TLS.Insecure)

	cfg, err = parse(t, `{dns: {hostname: gateway}, sending_queue: {enabled: false}}`)
	require.NoError(t, err)
	assert.False(t, cfg.SendingQueue.HasValue())
	assert.EqualValues(t, "gzip", cfg.Client.Compression)
	assert.Equal(t, 4317, cfg.DNS.Port)
}

func TestWithoutEndpoints(t *testing.T) {
	create := []func(component.Config) error{
		func(cfg component.Config) error {
			_, err := NewFactory().CreateTraces(t.Context(), exportertest.NewNopSettings(metadata.Type), cfg)
			return err
		},
		func(cfg component.Config) error {
			_, err := NewFactory().CreateMetrics(t.Context(), exportertest.NewNopSettings(metadata.Type), cfg)
			return err
		},
		func(cfg component.Config) error {
			_, err := NewFactory().CreateLogs(t.Context(), exportertest.NewNopSettings(metadata.Type), cfg)
			return err
		},
	}
	for _, f := range create {
		assert.ErrorIs(t, f(defaultConfig()), errNoList)
	}
}
