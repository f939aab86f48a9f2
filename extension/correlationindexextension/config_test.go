// SPDX-License-Identifier: Apache-2.0

package correlationindexextension

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/confmap"
	"go.yaml.in/yaml/v3"

	"github.com/otelcol-tc/otelcol-tc/tests/configtest"
)

func parse(t *testing.T, text string) (*Config, error) {
	var raw map[string]any
	require.NoError(t, yaml.Unmarshal([]byte(text), &raw))
	cfg := createDefaultConfig().(*Config)
	require.NoError(t, confmap.NewFromStringMap(raw).Unmarshal(cfg))
	return cfg, confmap.Validate(cfg)
}

func TestErrorsNameKeyRuleAndValue(t *testing.T) { configtest.Errors(t, createDefaultConfig) }

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
