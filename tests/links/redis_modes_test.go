// SPDX-License-Identifier: Apache-2.0

package links

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
	"github.com/otelcol-tc/otelcol-tc/tests/loopback"
	"github.com/otelcol-tc/otelcol-tc/tests/servers"
)

// askRedis runs a command.
func askRedis(t *testing.T, address string, command ...any) any {
	t.Helper()
	client := redis.NewClient(&redis.Options{Addr: address, Protocol: 2})
	defer client.Close()
	answer, err := client.Do(context.WithoutCancel(t.Context()), command...).Result()
	require.NoError(t, err)
	return answer
}

func awaitAnswer(t *testing.T, address, section string, want ...string) {
	t.Helper()
	collectortest.Eventually(t, time.Minute, func() (bool, string) {
		info := askRedis(t, address, "INFO", section).(string)
		for _, text := range want {
			if !strings.Contains(info, text) {
				return false, info
			}
		}
		return true, ""
	})
}

func portOf(t *testing.T, address string) string {
	t.Helper()
	_, port, err := net.SplitHostPort(address)
	require.NoError(t, err)
	return port
}

// startRedisCluster runs three servers that share the slots, and returns two of their addresses.
func startRedisCluster(t *testing.T) string {
	t.Helper()
	buses, err := loopback.FreeAddresses(3)
	require.NoError(t, err)
	var nodes []*servers.Redis
	for i, bus := range buses {
		s := servers.StartRedis(t, "--port", "--cluster-enabled", "yes", "--cluster-port", portOf(t, bus))
		askRedis(t, s.Address, "CLUSTER", "ADDSLOTSRANGE", i*5461, min((i+1)*5461-1, 16383)+i/2)
		askRedis(t, s.Address, "CLUSTER", "SET-CONFIG-EPOCH", i+1)
		nodes = append(nodes, s)
	}
	for i := range nodes[1:] {
		askRedis(t, nodes[0].Address, "CLUSTER", "MEET", "127.0.0.1", portOf(t, nodes[i+1].Address), portOf(t, buses[i+1]))
	}
	for _, s := range nodes {
		collectortest.Eventually(t, time.Minute, func() (bool, string) {
			info := askRedis(t, s.Address, "CLUSTER", "INFO").(string)
			return strings.Contains(info, "cluster_state:ok"), info
		})
	}
	return fmt.Sprintf("[%q, %q]", nodes[0].Address, nodes[1].Address)
}

// startRedisSentinels runs a primary, its replica and three Sentinels, whose addresses it returns.
func startRedisSentinels(t *testing.T) (primary *servers.Redis, addresses string) {
	t.Helper()
	primary = servers.StartRedis(t, "--port")
	replica := servers.StartRedis(t, "--port", "--replicaof", "127.0.0.1", portOf(t, primary.Address), "--repl-diskless-sync-delay", "0")
	awaitAnswer(t, replica.Address, "replication", "master_link_status:up")
	var sentinels []string
	for range 3 {
		file := filepath.Join(t.TempDir(), "sentinel.conf")
		settings := fmt.Sprintf("sentinel monitor links 127.0.0.1 %s 2\nsentinel down-after-milliseconds links 500\n"+
			"sentinel failover-timeout links 3000\n", portOf(t, primary.Address))
		require.NoError(t, os.WriteFile(file, []byte(settings), 0o600))
		sentinels = append(sentinels, startSentinel(t, file).Address)
	}
	for _, address := range sentinels {
		awaitAnswer(t, address, "sentinel", "slaves=1", "sentinels=3")
	}
	return primary, fmt.Sprintf("[%q, %q, %q]", sentinels[0], sentinels[1], sentinels[2])
}

// startSentinel runs a Sentinel with the settings in a file, which it changes.
func startSentinel(t *testing.T, file string) *servers.Redis {
	t.Helper()
	address := collectortest.FreeAddress(t)
	s := &servers.Redis{Address: address, Server: &servers.Server{
		Binary: collectortest.Needs(t, "redis-server", ".tools/redis-server"),
		Args:   []string{file, "--sentinel", "--bind", "127.0.0.1", "--port", portOf(t, address)},
	}}
	log, ready := s.Run(t)
	require.True(t, ready, log)
	return s
}

// The primary is killed while spans are sent: all come out, no link is wrong, and all pairs are
// linked when the replica has taken over.
func TestSentinelsFailOver(t *testing.T) {
	t.Parallel()
	primary, addresses := startRedisSentinels(t)
	settings := inRedis("", fmt.Sprintf("addresses: %s, master_name: links, timeout: 2s", addresses))
	one, two := settings.start(t), settings.start(t)
	l := startLoad(t, one, two)
	awaitLinkAfter(t, l, two, 0)
	primary.Kill(t)
	for _, c := range []*collectortest.Collector{one, two} {
		collectortest.Eventually(t, collectortest.ArrivalTimeout, func() (bool, string) { return redisFailures(t, c) > 0, "no failure" })
	}
	awaitLinkAfter(t, l, two, l.sent())
	back := l.sent() + 1
	collectortest.Eventually(t, collectortest.ArrivalTimeout, func() (bool, string) { return l.sent() > back+50, "little is sent" })
	puts, gets := l.end(t)
	for _, c := range []*collectortest.Collector{one, two} {
		require.Zero(t, c.Stop(t).Code)
		assert.Contains(t, c.Logs(), "Redis is back")
	}
	requireOnce(t, one.Traces(t), puts...)
	requireOnce(t, two.Traces(t), gets...)
	requireTruePairs(t, two, puts, gets, back)
}
