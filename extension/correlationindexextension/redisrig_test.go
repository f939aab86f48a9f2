// SPDX-License-Identifier: Apache-2.0

package correlationindexextension

import (
	"context"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"

	"github.com/otelcol-tc/otelcol-tc/internal/loopback"
)

// server is a redis-server of the test's own.
type server struct {
	t       testing.TB
	address string
	port    string
	process *exec.Cmd
}

// startServer starts a server that ends with the test.
func startServer(t testing.TB) *server {
	s := newServer(t)
	s.start()
	return s
}

// newServer returns a server that has still to be started.
func newServer(t testing.TB) *server {
	t.Helper()
	addresses, err := loopback.FreeAddresses(1)
	require.NoError(t, err)
	_, port, err := net.SplitHostPort(addresses[0])
	require.NoError(t, err)
	s := &server{t: t, address: addresses[0], port: port}
	t.Cleanup(s.kill)
	return s
}

// start starts the server, or starts it anew without data.
func (s *server) start() {
	s.t.Helper()
	s.process = exec.Command(findServer(s.t), "--bind", "127.0.0.1", "--port", s.port, "--dir", s.t.TempDir(), "--save", "", "--appendonly", "no")
	require.NoError(s.t, s.process.Start())
	require.Eventually(s.t, func() bool {
		connection, err := net.Dial("tcp", s.address)
		if err == nil {
			_ = connection.Close()
		}
		return err == nil
	}, 10*time.Second, 5*time.Millisecond)
}

func (s *server) kill() {
	if s.process != nil {
		_ = s.process.Process.Kill()
		_ = s.process.Wait()
		s.process = nil
	}
}

func findServer(t testing.TB) string {
	t.Helper()
	if path, err := exec.LookPath("redis-server"); err == nil {
		return path
	}
	path, err := filepath.Abs("../../.tools/redis-server")
	require.NoError(t, err)
	if _, err := os.Stat(path); err != nil {
		t.Skip("redis-server is neither in PATH nor in .tools")
	}
	return path
}

// startShared starts an index of a server.
func startShared(t testing.TB, address string, change func(*Config)) *shared {
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
	client := redis.NewClient(&redis.Options{Addr: s.address, Protocol: 2})
	defer client.Close()
	reply, err := client.Do(context.WithoutCancel(s.t.Context()), append([]any{name}, args...)...).Result()
	if !errors.Is(err, redis.Nil) {
		require.NoError(s.t, err)
	}
	return reply
}
