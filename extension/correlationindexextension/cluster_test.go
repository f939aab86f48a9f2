// SPDX-License-Identifier: Apache-2.0

package correlationindexextension

import (
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/internal/correlation"
	"github.com/otelcol-tc/otelcol-tc/tests/indextest"
)

// startCluster starts three servers that have a third of the slots each.
func startCluster(t *testing.T) []*server {
	t.Helper()
	var servers []*server
	var ports []string
	for i := range 3 {
		ports = append(ports, freePort(t))
		s := newServer(t, "--cluster-enabled", "yes", "--cluster-node-timeout", "2000",
			"--cluster-port", ports[i], "--cluster-config-file", fmt.Sprintf("nodes-%d.conf", i))
		s.start()
		s.do("CLUSTER", "ADDSLOTSRANGE", i*5461, min((i+1)*5461-1, 16383)+i/2)
		s.do("CLUSTER", "SET-CONFIG-EPOCH", i+1)
		servers = append(servers, s)
	}
	for i, s := range servers[1:] {
		host, port, _ := net.SplitHostPort(s.address)
		servers[0].do("CLUSTER", "MEET", host, port, ports[i+1])
	}
	for _, s := range servers {
		require.Eventually(t, func() bool {
			return strings.Contains(s.do("CLUSTER", "INFO").(string), "cluster_state:ok")
		}, 30*time.Second, 20*time.Millisecond)
	}
	return servers
}

func inCluster(servers ...*server) func(*Config) {
	return func(cfg *Config) {
		cfg.Redis.Endpoint, cfg.Redis.Cluster = "", true
		for _, s := range servers {
			cfg.Redis.Addresses = append(cfg.Redis.Addresses, s.address)
		}
	}
}

func TestCluster(t *testing.T) {
	servers := startCluster(t)
	one := startShared(t, servers[0].address, inCluster(servers[0])) // which knows the others
	two := startShared(t, servers[0].address, inCluster(servers...))
	var joins, looks []correlation.Request
	for key := range 300 {
		joins = append(joins, indextest.Join(key, 1), indextest.Join(key, 2))
		looks = append(looks, indextest.Look(key))
	}
	indextest.All(t, one, joins...)
	check := func() {
		t.Helper()
		for _, r := range indextest.All(t, two, looks...) {
			require.Equal(t, "1@1 2@2 | 3", indextest.Written(r))
		}
	}
	check()
	for _, s := range servers {
		assert.Greater(t, s.do("DBSIZE"), int64(50), "each server has its share")
		s.do("SCRIPT", "FLUSH")
	}
	check()

	// All slots of one server move to another, which answers with MOVED from then on.
	id := strings.TrimSpace(servers[1].do("CLUSTER", "MYID").(string))
	for slot := range 200 {
		servers[0].do("CLUSTER", "SETSLOT", slot, "MIGRATING", id)
		servers[1].do("CLUSTER", "SETSLOT", slot, "IMPORTING", strings.TrimSpace(servers[0].do("CLUSTER", "MYID").(string)))
		host, port, _ := net.SplitHostPort(servers[1].address)
		for _, key := range servers[0].do("CLUSTER", "GETKEYSINSLOT", slot, 100).([]any) {
			servers[0].do("MIGRATE", host, port, key, 0, 5000)
		}
		if slot%2 == 0 { // the others stay between both, and answer with ASK
			for _, s := range servers {
				s.do("CLUSTER", "SETSLOT", slot, "NODE", id)
			}
		}
	}
	check()

	servers[2].kill()
	require.Eventually(t, func() bool { return two.Do(t.Context(), looks, indextest.Ignore) != nil }, 10*time.Second, 10*time.Millisecond,
		"the batch fails as a whole")
}

// freePort returns one that clusters' servers talk by.
func freePort(t testing.TB) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer listener.Close()
	_, port, err := net.SplitHostPort(listener.Addr().String())
	require.NoError(t, err)
	return port
}
