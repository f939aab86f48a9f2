// SPDX-License-Identifier: Apache-2.0

package scale

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/extension/correlationindexextension"
	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
	"github.com/otelcol-tc/otelcol-tc/tests/servers"
)

// One Redis has the keys of all nodes: 362 bytes and 10 µs of a core for each.
func TestRedis(t *testing.T) {
	collectortest.NeedsMeasuring(t)
	server := servers.StartRedis(t, "--port", "--appendonly", "no")
	index, _ := startIndex(t, func(cfg *correlationindexextension.Config) {
		cfg.Backend, cfg.Redis.Endpoint, cfg.Redis.Timeout = "redis", server.Address, time.Minute
	})
	client := redis.NewClient(&redis.Options{Addr: server.Address, Protocol: 2})
	defer client.Close() //nolint:errcheck // the test ends
	ask := func(name string) (n float64) {
		text, err := client.Info(context.WithoutCancel(t.Context())).Result()
		require.NoError(t, err)
		_, after, found := strings.Cut(text, name+":")
		require.True(t, found, name)
		_, err = fmt.Sscan(after, &n)
		require.NoError(t, err)
		return n
	}
	const some = 30 // nodes
	for _, ofKey := range []int{1, 2} {
		memory, cpu := ask("used_memory"), ask("used_cpu_user")+ask("used_cpu_sys")
		join(t, index, some, ofKey, func(float64) {})
		bytes := (ask("used_memory") - memory) / (some * keyedSpans * window)
		core := (ask("used_cpu_user") + ask("used_cpu_sys") - cpu) / (some * window) * nodes
		t.Logf("%d of a key: %.0f bytes a span, %.1f GB of all nodes; %.2f of a core", ofKey, bytes, bytes*keyedSpans*window*nodes/1e9, core)
		assert.Less(t, bytes, 362*1.1)
		assert.Less(t, core, 1.0)
		require.NoError(t, client.FlushAll(t.Context()).Err())
	}
}
