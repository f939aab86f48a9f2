// SPDX-License-Identifier: Apache-2.0

package correlationindexextension

import (
	"context"
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

func TestCollectorsShareMembers(t *testing.T) {
	s := startServer(t)
	a, b := startShared(t, s, nil), startShared(t, s, nil)
	seedA, _ := a.Seed()
	seedB, _ := b.Seed()
	assert.Equal(t, seedA, seedB)
	assert.Equal(t, "| 1-", indextest.Written(indextest.One(t, a, indextest.Hold(1, 1))))
	assert.Equal(t, "1@1- | 2", indextest.Written(indextest.One(t, b, indextest.Join(1, 2))))
	assert.Equal(t, "2@2 | 1-3", indextest.Written(indextest.One(t, b, indextest.Release(1, 1))))
	assert.Equal(t, "1@1-3 2@2 | 4", indextest.Written(indextest.One(t, a, indextest.Look(1))))

	apart := startShared(t, s, func(cfg *Config) { cfg.Redis.Prefix = "another:" })
	seed, _ := apart.Seed()
	assert.NotEqual(t, seedA, seed)
	assert.Equal(t, "| 1", indextest.Written(indextest.One(t, apart, indextest.Look(1))))
}

func TestKeysEndInRedis(t *testing.T) {
	s := startServer(t)
	index := startShared(t, s, func(cfg *Config) { cfg.Window = 10 * time.Second })
	indextest.All(t, index, indextest.Join(1, 1), indextest.Join(2, 1), indextest.Join(2, 2), indextest.Join(2, 3), indextest.Join(2, 4))
	keys := s.do("KEYS", "otelcol_tc:????????????????????????????????").([]any)
	require.Len(t, keys, 2)
	time.Sleep(time.Second)
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
	index := startShared(t, s, nil)
	indextest.All(t, index, indextest.Join(1, 1), indextest.Join(1, 2))
	list := "otelcol_tc:" + hexKey(1)
	first := s.do("LINDEX", list, 0).(string)
	s.do("LSET", list, 0, first[:32]+"\x02"+strings.Repeat("?", 9))
	assert.Equal(t, "2@1 | 2", indextest.Written(indextest.One(t, index, indextest.Join(1, 1))))
}

func TestScriptsAreFlushed(t *testing.T) {
	s := startServer(t)
	index := startShared(t, s, nil)
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
	index := startShared(t, s, nil)
	indextest.All(t, index, indextest.Hold(1, 1), indextest.Join(1, 2), indextest.Release(1, 1))
	s.pass(-10 * time.Second)
	assert.Equal(t, "1@1-3 2@2 | 4", indextest.Written(indextest.One(t, index, indextest.Join(1, 3))))
	assert.Equal(t, "1@1-3 2@2 3@4 | 5", indextest.Written(indextest.One(t, index, indextest.Look(1))))
}

func TestAnotherSeed(t *testing.T) {
	s := startServer(t)
	index := startShared(t, s, nil)
	indextest.One(t, index, indextest.Join(1, 1))
	s.do("FLUSHALL")
	s.do("SCRIPT", "FLUSH")
	s.do("SET", "otelcol_tc:seed", "1f")
	require.ErrorContains(t, index.Do(t.Context(), []correlation.Request{indextest.Join(1, 1)}, indextest.Ignore), "the seed of the index in redis is a new one", "these keys are of the seed before")
	seed, ok := index.Seed()
	assert.True(t, ok)
	assert.Equal(t, uint64(0x1f), seed)
	assert.Equal(t, "| 1", indextest.Written(indextest.One(t, index, indextest.Join(1, 1))))
}

func TestSeedIsLookedUpAgain(t *testing.T) {
	s := startServer(t)
	index := startShared(t, s, nil)
	seed, _ := index.Seed()
	indextest.One(t, index, indextest.Look(1))
	s.do("FLUSHALL")
	indextest.One(t, index, indextest.Look(1))
	assert.Zero(t, s.do("EXISTS", "otelcol_tc:seed"), "a round trip more is not for each batch")
	s.do("SCRIPT", "FLUSH")
	indextest.One(t, index, indextest.Look(1))
	assert.Equal(t, int64(1), s.do("EXISTS", "otelcol_tc:seed"), "the server gets it back")
	again, _ := index.Seed()
	assert.Equal(t, seed, again)
}

func TestWhatIsNoSeed(t *testing.T) {
	s := startServer(t)
	s.do("SET", "otelcol_tc:seed", "mine")
	index := startAlone(t, s.address, nil)
	assert.Eventually(t, func() bool {
		return tryRequest(t, index).Error() == `redis key otelcol_tc:seed: must hold a seed (got "mine")`
	}, 10*time.Second, 10*time.Millisecond)
	_, ok := index.Seed()
	assert.False(t, ok)
}

func TestBatchThatIsCancelled(t *testing.T) {
	s := startServer(t)
	index := startShared(t, s, nil)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, index.Do(ctx, []correlation.Request{indextest.Look(1)}, indextest.Ignore), context.Canceled)
	assert.Equal(t, "| 1", indextest.Written(indextest.One(t, index, indextest.Look(1))), "it is no outage")
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
