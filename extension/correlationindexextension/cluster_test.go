// SPDX-License-Identifier: Apache-2.0

package correlationindexextension

import (
	"fmt"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/config/configopaque"
	"go.opentelemetry.io/collector/config/configtls"

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
		s := newServer(t, "--port", "--cluster-enabled", "yes", "--cluster-node-timeout", "2000",
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

// sentinels are a primary, its replica, and three Sentinels that look after them.
type sentinels struct{ primary, replica *server }

const primaryName = "links"

func startSentinels(t *testing.T) (s sentinels, addresses []string) {
	t.Helper()
	s.primary = startServer(t)
	host, port, err := net.SplitHostPort(s.primary.address)
	require.NoError(t, err)
	s.replica = newServer(t, "--port", "--replicaof", host, port, "--repl-diskless-sync-delay", "0")
	s.replica.start()
	require.Eventually(t, func() bool {
		return strings.Contains(s.replica.do("INFO", "replication").(string), "master_link_status:up")
	}, 30*time.Second, 20*time.Millisecond)
	for range 3 {
		sentinel := newServer(t, "--port", "--sentinel")
		sentinel.settings = fmt.Sprintf("sentinel monitor %[1]s %[2]s %[3]s 2\nsentinel down-after-milliseconds %[1]s 500\n"+
			"sentinel failover-timeout %[1]s 3000\n", primaryName, host, port)
		sentinel.start()
		addresses = append(addresses, sentinel.address)
	}
	// They know each other and the replica.
	for _, address := range addresses {
		asked := &server{t: t, address: address}
		require.Eventually(t, func() bool {
			info := asked.do("INFO", "sentinel").(string)
			return strings.Contains(info, "slaves=1") && strings.Contains(info, "sentinels=3")
		}, 30*time.Second, 50*time.Millisecond)
	}
	return s, addresses
}

// The primary is killed while many pairs join: what is found is never wrong, and all pairs that
// join afterwards are found.
func TestSentinelFailover(t *testing.T) {
	s, addresses := startSentinels(t)
	known := func(cfg *Config) {
		cfg.Redis.Endpoint, cfg.Redis.Addresses, cfg.Redis.MasterName = "", addresses, primaryName
		cfg.Redis.Timeout = time.Second
	}
	one, two := startShared(t, "", known), startShared(t, "", known)
	var next, found, missed atomic.Int64
	pair := func() bool {
		key := int(next.Add(1))
		if one.Do(t.Context(), []correlation.Request{indextest.Join(key, 1)}, indextest.Ignore) != nil {
			missed.Add(1)
			return false
		}
		ok := false
		_ = two.Do(t.Context(), []correlation.Request{indextest.Join(key, 2)}, func(_ int, r correlation.Result) {
			text := indextest.Written(indextest.Ranked(r))
			// The replica may not have got the first yet.
			assert.Contains(t, []string{"1@1 | 2", "| 1"}, text, "a wrong member is found")
			ok = len(r.Members) == 1
		})
		if ok {
			found.Add(1)
		} else {
			missed.Add(1)
		}
		return ok
	}
	stop := make(chan struct{})
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					if !pair() {
						time.Sleep(10 * time.Millisecond)
					}
				}
			}
		})
	}
	require.Eventually(t, func() bool { return found.Load() > 1000 }, 30*time.Second, time.Millisecond)
	require.Zero(t, missed.Load())
	s.primary.kill()
	require.Eventually(t, func() bool { return missed.Load() > 0 }, 30*time.Second, time.Millisecond)
	// Both are back when both keep a pair, which is seldom by chance.
	before := found.Load()
	require.Eventually(t, func() bool { return found.Load() > before+1000 }, 60*time.Second, 10*time.Millisecond)
	close(stop)
	group.Wait()
	for range 200 {
		require.True(t, pair(), "after the failover all are found")
	}
	t.Logf("%d pairs, %d found, %d missed", next.Load(), found.Load(), missed.Load())
}

func TestUserOfAnACL(t *testing.T) {
	cert, key := selfSigned(t)
	s := newServer(t, "--tls-port", "--port", "0", "--tls-cert-file", cert, "--tls-key-file", key,
		"--tls-ca-cert-file", cert, "--tls-auth-clients", "no")
	// The rights that README.md names.
	s.settings = "user default off\n" +
		"user otelcol on >secret ~otelcol_tc:* -@all +hello +evalsha +eval +lrange +ltrim +lset +rpush +del +pexpire +time\n"
	s.start()
	as := func(user, password string) func(*Config) {
		return func(cfg *Config) {
			cfg.Redis.TLS = &configtls.ClientConfig{Config: configtls.Config{CAFile: cert}}
			cfg.Redis.Username, cfg.Redis.Password = user, configopaque.String(password)
		}
	}
	index := startShared(t, s.address, as("otelcol", "secret"))
	indextest.All(t, index, indextest.Join(1, 1), indextest.Hold(1, 2), indextest.Release(1, 2), indextest.Join(1, 3), indextest.Join(1, 4))
	for user, want := range map[string]string{"nobody": "WRONGPASS", "default": "WRONGPASS", "": "NOAUTH"} {
		index := startShared(t, s.address, as(user, strings.Repeat("secret", min(len(user), 1))))
		assert.Eventually(t, func() bool {
			err := tryRequest(t, index)
			return err != nil && strings.Contains(err.Error(), want)
		}, 10*time.Second, 100*time.Millisecond, want)
	}
}
