// SPDX-License-Identifier: Apache-2.0

package correlationindexextension

import (
	"context"
	"fmt"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/config/configtls"
	"go.opentelemetry.io/collector/extension/extensiontest"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/otelcol-tc/otelcol-tc/extension/correlationindexextension/internal/metadata"
	"github.com/otelcol-tc/otelcol-tc/internal/correlation"
	"github.com/otelcol-tc/otelcol-tc/tests/indextest"
)

func TestCollectorsShareMembers(t *testing.T) {
	s := startServer(t)
	a, b := startShared(t, s.Address, nil), startShared(t, s.Address, nil)
	assert.Equal(t, "| 1-", indextest.Written(indextest.One(t, a, indextest.Hold(1, 1))))
	assert.Equal(t, "1@1- | 2", indextest.Written(indextest.One(t, b, indextest.Join(1, 2))))
	assert.Equal(t, "2@2 | 1-3", indextest.Written(indextest.One(t, b, indextest.Release(1, 1))))
	assert.Equal(t, "1@1-3 2@2 | 4", indextest.Written(indextest.One(t, a, indextest.Look(1))))

	apart := startShared(t, s.Address, func(cfg *Config) { cfg.Redis.Prefix = "another:" })
	assert.Equal(t, "| 1", indextest.Written(indextest.One(t, apart, indextest.Look(1))))
}

func TestKeysEndInRedis(t *testing.T) {
	s := startServer(t)
	index := startShared(t, s.Address, func(cfg *Config) { cfg.Window = 10 * time.Second })
	indextest.All(t, index, indextest.Join(1, 1), indextest.Join(2, 1), indextest.Join(2, 2), indextest.Join(2, 3), indextest.Join(2, 4))
	keys := s.do("KEYS", "otelcol_tc:????????????????????????????????").([]any)
	require.Len(t, keys, 2)
	s.pass(time.Second)
	indextest.All(t, index, indextest.Look(1), indextest.Join(1, 1), indextest.Join(2, 5), indextest.Look(2), indextest.Release(2, 1))
	for _, key := range keys {
		left := s.do("PTTL", key).(int64)
		assert.LessOrEqual(t, left, int64(9000), "only members that are new keep a key")
		assert.Positive(t, left)
	}
	poisoned := s.do("LRANGE", "otelcol_tc:"+hexKey(2), 0, -1)
	assert.Equal(t, []any{"poisoned"}, poisoned, "a request for a poisoned key costs the same however many there are")
}

func hexKey(n int) string {
	key := indextest.KeyOf(n)
	return fmt.Sprintf("%016x%016x", key.Hi, key.Lo)
}

func TestMembersOfAnotherVersionAreNotSeen(t *testing.T) {
	s := startServer(t)
	index := startShared(t, s.Address, nil)
	indextest.All(t, index, indextest.Join(1, 1), indextest.Join(1, 2))
	list := "otelcol_tc:" + hexKey(1)
	first := s.do("LINDEX", list, 0).(string)
	s.do("LSET", list, 0, first[:32]+"\x01"+strings.Repeat("?", 9))
	assert.Equal(t, "2@1 | 2", indextest.Written(indextest.One(t, index, indextest.Join(1, 1))))
}

func TestScriptsAreFlushed(t *testing.T) {
	s := startServer(t)
	index := startShared(t, s.Address, nil)
	indextest.One(t, index, indextest.Join(1, 1))
	s.do("SCRIPT", "FLUSH")
	assert.Equal(t, []correlation.Result{
		{Members: []correlation.Member{at(1, 1)}, Came: 2, Decided: 2},
		{Members: []correlation.Member{at(1, 1), at(2, 2)}, Came: 3, Decided: 3},
	}, indextest.All(t, index, indextest.Join(1, 2), indextest.Join(1, 3)))
}

// at is a member as results have it.
func at(n int, order correlation.Order) correlation.Member {
	m := indextest.Member(n)
	m.Came, m.Decided = order, order
	return m
}

func TestClockThatGoesBack(t *testing.T) {
	s := startServer(t)
	index := startShared(t, s.Address, nil)
	indextest.All(t, index, indextest.Hold(1, 1), indextest.Join(1, 2), indextest.Release(1, 1))
	s.pass(-10 * time.Second)
	assert.Equal(t, "1@1-3 2@2 | 4", indextest.Written(indextest.One(t, index, indextest.Join(1, 3))))
	assert.Equal(t, "1@1-3 2@2 3@4 | 5", indextest.Written(indextest.One(t, index, indextest.Look(1))))
}

func TestBatchThatIsCancelled(t *testing.T) {
	s := startServer(t)
	index := startShared(t, s.Address, nil)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, index.Do(ctx, []correlation.Request{indextest.Look(1)}, indextest.Ignore), context.Canceled)
	assert.Equal(t, "| 1", indextest.Written(indextest.One(t, index, indextest.Look(1))), "it is no outage")
}

func tryRequest(t *testing.T, index correlation.Index) error {
	return index.Do(t.Context(), []correlation.Request{indextest.Look(1)}, indextest.Ignore)
}

// The server is not there at first, comes, is killed, and comes back without its data.
func TestServerIsAwayAtTimes(t *testing.T) {
	core, logs := observer.New(zap.InfoLevel)
	s := newServer(t)
	set := extensiontest.NewNopSettings(metadata.Type)
	set.Logger = zap.New(core)
	e, err := NewFactory().Create(t.Context(), set, with(func(cfg *Config) {
		cfg.Backend = backendRedis
		cfg.Redis.Endpoint, cfg.Redis.Timeout = s.Address, 2*time.Second
	}))
	require.NoError(t, err)
	require.NoError(t, e.Start(t.Context(), componenttest.NewNopHost()))
	defer func() { assert.NoError(t, e.Shutdown(t.Context())) }()
	index := e.(*shared)
	var messages []string
	const wentAway, cameBack = "Redis is away; nothing is linked until it is back", "Redis is back"
	for range 2 {
		require.Error(t, tryRequest(t, index))
		require.ErrorContains(t, tryRequest(t, index), "redis is away")
		messages = append(messages, wentAway)
		s.start()
		require.Eventually(t, func() bool { return tryRequest(t, index) == nil }, time.Minute, 10*time.Millisecond)
		messages = append(messages, cameBack)
		assert.Equal(t, "| 1", indextest.Written(indextest.One(t, index, indextest.Join(1, 1))))
		assert.Equal(t, "1@1 | 2", indextest.Written(indextest.One(t, index, indextest.Look(1))))
		s.Kill(t)
	}
	var logged []string
	for _, entry := range logs.All() {
		logged = append(logged, entry.Message)
	}
	assert.Equal(t, messages, logged)
}

// A batch ends by itself, although the servers that accept it never answer.
func TestServersThatNeverAnswer(t *testing.T) {
	for name, change := range map[string]func(*Config){
		"single":   func(cfg *Config) { cfg.Redis.Addresses = cfg.Redis.Addresses[:1] },
		"cluster":  func(cfg *Config) { cfg.Redis.Cluster = true },
		"sentinel": func(cfg *Config) { cfg.Redis.MasterName = "links" },
	} {
		t.Run(name, func(t *testing.T) {
			index := startShared(t, "", func(cfg *Config) {
				cfg.Redis.Addresses = []string{silentServer(t), silentServer(t)}
				cfg.Redis.Timeout = 300 * time.Millisecond
				change(cfg)
			})
			var group sync.WaitGroup
			for range 50 {
				group.Go(func() {
					err := tryRequest(t, index)
					assert.Error(t, err)
					assert.NotErrorIs(t, err, context.Canceled)
				})
			}
			group.Wait()
			assert.ErrorContains(t, tryRequest(t, index), "redis is away", "after a failure nobody waits")
		})
	}
}

func TestTLSFilesMustBeThere(t *testing.T) {
	e, err := NewFactory().Create(t.Context(), extensiontest.NewNopSettings(metadata.Type), with(func(cfg *Config) {
		cfg.Backend = backendRedis
		cfg.Redis.Endpoint = "localhost:6379"
		cfg.Redis.TLS = &configtls.ClientConfig{Config: configtls.Config{CAFile: "missing.pem"}}
	}))
	require.NoError(t, err)
	assert.ErrorContains(t, e.Start(t.Context(), componenttest.NewNopHost()), "redis::tls: failed to load TLS config")
	assert.NoError(t, e.Shutdown(t.Context()))
}

// silentServer accepts connections and never answers.
func silentServer(t *testing.T) string {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	var open []net.Conn
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			open = append(open, c)
		}
	}()
	t.Cleanup(func() {
		_ = listener.Close()
		<-done
		for _, c := range open {
			_ = c.Close()
		}
	})
	return listener.Addr().String()
}
