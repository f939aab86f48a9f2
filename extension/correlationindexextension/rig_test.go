// SPDX-License-Identifier: Apache-2.0

package correlationindexextension

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/extension/extensiontest"

	"github.com/otelcol-tc/otelcol-tc/extension/correlationindexextension/internal/metadata"
	"github.com/otelcol-tc/otelcol-tc/internal/correlation"
	"github.com/otelcol-tc/otelcol-tc/tests/servers"
)

// with returns the default settings, changed.
func with(change func(*Config)) *Config {
	cfg := createDefaultConfig().(*Config)
	change(cfg)
	return cfg
}

// startIndex starts an index that is shut down when the test ends.
func startIndex(t testing.TB, cfg *Config, host component.Host) correlation.Index {
	t.Helper()
	require.NoError(t, cfg.Validate())
	e, err := NewFactory().Create(t.Context(), extensiontest.NewNopSettings(metadata.Type), cfg)
	require.NoError(t, err)
	require.NoError(t, e.Start(t.Context(), host))
	t.Cleanup(func() { assert.NoError(t, e.Shutdown(context.WithoutCancel(t.Context()))) })
	return e.(correlation.Index)
}

func startMemory(t testing.TB, change func(*Config)) *memory {
	return startIndex(t, with(change), componenttest.NewNopHost()).(*memory)
}

// bed is an index whose time a test can let pass.
type bed struct {
	correlation.Index
	pass func(time.Duration) // lets time pass
}

// onBoth runs a test against both backends.
func onBoth(t *testing.T, window time.Duration, test func(*testing.T, bed)) {
	t.Run("memory", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			test(t, bed{startMemory(t, func(cfg *Config) { cfg.Window = window }), time.Sleep})
		})
	})
	t.Run("redis", func(t *testing.T) {
		s := startServer(t)
		test(t, bed{startShared(t, s.Address, func(cfg *Config) { cfg.Window = window }), s.pass})
	})
}

// server is a Redis of the test's own.
type server struct {
	*servers.Redis
	t *testing.T
}

// startServer starts a server that ends with the test.
func startServer(t *testing.T) *server {
	t.Helper()
	return &server{servers.StartRedis(t, "--port", "--appendonly", "no"), t}
}

// newServer returns a server that has still to be started.
func newServer(t *testing.T) *server {
	t.Helper()
	s := startServer(t)
	s.Kill(t)
	return s
}

// start starts the server anew, without data.
func (s *server) start() {
	s.t.Helper()
	log, ready := s.Run(s.t)
	require.True(s.t, ready, log)
}

// startShared starts an index of a server.
func startShared(t *testing.T, address string, change func(*Config)) *shared {
	t.Helper()
	return startIndex(t, with(func(cfg *Config) {
		cfg.Backend = backendRedis
		cfg.Redis.Endpoint = address
		cfg.Redis.Timeout = 2 * time.Second // for machines that are busy
		if change != nil {
			change(cfg)
		}
	}), componenttest.NewNopHost()).(*shared)
}

// pass makes all that the server has older.
func (s *server) pass(d time.Duration) {
	s.t.Helper()
	s.do("EVAL", `
		for _, list in ipairs(redis.call('KEYS', 'otelcol_tc:????????????????????????????????')) do
			local left = redis.call('PTTL', list) - ARGV[1] / 1000
			if left <= 0 then
				redis.call('DEL', list)
			else
				redis.call('PEXPIRE', list, left)
				for i, element in ipairs(redis.call('LRANGE', list, 0, -1)) do
					if element ~= 'poisoned' then
						local came, decided = string.sub(element, 1, 16) - ARGV[1], string.sub(element, 17, 32) - ARGV[1]
						redis.call('LSET', list, i - 1, string.format('%016.0f%016.0f', came, decided) .. string.sub(element, 33))
					end
				end
			end
		end`, 0, d.Microseconds())
}

// do runs a command.
func (s *server) do(name string, args ...any) any {
	s.t.Helper()
	client := redis.NewClient(&redis.Options{Addr: s.Address, Protocol: 2})
	defer client.Close()
	reply, err := client.Do(context.WithoutCancel(s.t.Context()), append([]any{name}, args...)...).Result()
	if !errors.Is(err, redis.Nil) {
		require.NoError(s.t, err)
	}
	return reply
}
