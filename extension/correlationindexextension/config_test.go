// SPDX-License-Identifier: Apache-2.0

package correlationindexextension

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/confmap"
	"go.yaml.in/yaml/v3"

	"github.com/otelcol-tc/otelcol-tc/internal/correlation"
)

func parse(t *testing.T, text string) (*Config, error) {
	var raw map[string]any
	require.NoError(t, yaml.Unmarshal([]byte(text), &raw))
	cfg := createDefaultConfig().(*Config)
	require.NoError(t, confmap.NewFromStringMap(raw).Unmarshal(cfg))
	return cfg, confmap.Validate(cfg)
}

func TestErrorsNameKeyRuleAndValue(t *testing.T) {
	f := func(text, want string) {
		t.Helper()
		_, err := parse(t, text)
		assert.EqualError(t, err, want)
	}
	f(`backend: disk`, `backend: must be memory or redis (got "disk")`)
	f(`max_memory_mib: 0`, `max_memory_mib: must be at least 1 (got 0)`)
	f(`max_memory_mib: 2000000`, `max_memory_mib: must be at most 1048576 (got 2000000)`)
	f(`window: 10ms`, `window: must be from 1s to 8760h0m0s (got 10ms)`)
	f(`window: 9000h`, `window: must be from 1s to 8760h0m0s (got 9000h0m0s)`)
	f(`backend: redis`, `redis::endpoint: must be host:port (got "")`)
	f(`{backend: redis, redis: {endpoint: redis}}`, `redis::endpoint: must be host:port (got "redis")`)
	f(`{backend: redis, redis: {endpoint: "redis:"}}`, `redis::endpoint: must be host:port (got "redis:")`)
	f(`{backend: redis, redis: {endpoint: "redis:1", addresses: ["a:1", b]}}`, `redis::addresses: must be host:port (got "b")`)
	f(`{backend: redis, redis: {addresses: ["a:1", "b:1"]}}`,
		`redis::addresses: must be one, unless cluster or master_name is set (got ["a:1" "b:1"])`)
	f(`{backend: redis, redis: {addresses: ["a:1"], cluster: true, master_name: m}}`, `redis::master_name: must not be set for a cluster (got "m")`)
	f(`{backend: redis, redis: {endpoint: "redis:1", timeout: 0s}}`, `redis::timeout: must be positive (got 0s)`)

	_, err := parse(t, `{backend: redis, redis: {endpoint: "redis:1", tls: {min_version: "9"}}}`)
	assert.ErrorContains(t, err, `redis::tls: invalid TLS min_version: unsupported TLS version: "9"`)
}

func TestSettings(t *testing.T) {
	cfg, err := parse(t, `
backend: redis
window: 1h
hash_key: of all gateways
state_directory: not used
trace_ids: true
redis:
  endpoint: redis:6379
  username: otelcol
  password: secret
  prefix: "mine:"
  timeout: 50ms
  tls: {}
`)
	require.NoError(t, err)
	assert.Equal(t, time.Hour, cfg.Window)
	assert.True(t, cfg.TraceIds)
	assert.Equal(t, "of all gateways", string(cfg.HashKey))
	assert.Equal(t, "secret", string(cfg.Redis.Password))
	assert.Equal(t, "mine:", cfg.Redis.Prefix)
	assert.NotNil(t, cfg.Redis.TLS, "which is TLS by the system's certificates")

	cfg, err = parse(t, `{}`)
	require.NoError(t, err)
	assert.Nil(t, cfg.Redis.TLS)
	assert.Equal(t, 100*time.Millisecond, cfg.Redis.Timeout)
}

func TestIndexReturnsItsSettings(t *testing.T) {
	cfg := with(func(cfg *Config) { cfg.Window, cfg.TraceIds = time.Hour, true })
	for _, index := range []correlation.Index{&memory{configured: configured{config: cfg}}, &shared{configured: configured{config: cfg}}} {
		assert.Equal(t, time.Hour, index.Window())
		assert.True(t, index.TraceIDs())
	}
}
