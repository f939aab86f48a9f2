package correlationindexextension

import (
	"context"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/gomodule/redigo/redis"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/internal/correlation"
)

func TestCollectorsShareMembers(t *testing.T) {
	s := startServer(t)
	a, b := startShared(t, s, nil), startShared(t, s, nil)
	seedA, _ := a.Seed()
	seedB, _ := b.Seed()
	assert.Equal(t, seedA, seedB)
	assert.Equal(t, "| 1-", written(visit(t, a, hold(1, 1))))
	assert.Equal(t, "1@1- | 2", written(visit(t, b, join(1, 2))))
	assert.Equal(t, "2@2 | 1-3", written(visit(t, b, release(1, 1))))
	assert.Equal(t, "1@1-3 2@2 | 4", written(visit(t, a, look(1))))

	apart := startShared(t, s, func(cfg *Config) { cfg.Redis.Prefix = "another:" })
	seed, _ := apart.Seed()
	assert.NotEqual(t, seedA, seed)
	assert.Equal(t, "| 1", written(visit(t, apart, look(1))))
}

func TestKeysEndInRedis(t *testing.T) {
	s := startServer(t)
	index := startShared(t, s, func(cfg *Config) { cfg.Window = 10 * time.Second })
	visits(t, index, join(1, 1), join(2, 1), join(2, 2), join(2, 3), join(2, 4))
	keys, err := redis.Strings(s.do("KEYS", "otelcol_tc:????????????????????????????????"), nil)
	require.NoError(t, err)
	require.Len(t, keys, 2)
	time.Sleep(time.Second)
	visits(t, index, look(1), join(1, 1), join(2, 5), look(2), release(2, 1))
	for _, key := range keys {
		left := s.do("PTTL", key).(int64)
		assert.LessOrEqual(t, left, int64(9000), "only members that are new keep a key")
		assert.Positive(t, left)
	}
	poisoned := s.do("LRANGE", "otelcol_tc:"+hexKey(2), 0, -1)
	assert.Equal(t, []any{[]byte("poisoned")}, poisoned, "a visit to a poisoned key costs the same however many there are")
}

func hexKey(n int) string {
	r := &shared{config: settings(func(cfg *Config) { cfg.Redis.Prefix = "" })}
	return r.arguments(&correlation.Visit{Key: keyOf(n)})[2].(string)
}

func TestMembersOfAnotherVersionAreNotSeen(t *testing.T) {
	s := startServer(t)
	index := startShared(t, s, nil)
	visits(t, index, join(1, 1), join(1, 2))
	list := "otelcol_tc:" + hexKey(1)
	first, err := redis.String(s.do("LINDEX", list, 0), nil)
	require.NoError(t, err)
	s.do("LSET", list, 0, first[:elementMember]+"\x02"+strings.Repeat("?", 9))
	assert.Equal(t, "2@1 | 2", written(visit(t, index, join(1, 1))))
}

func TestScriptsAreFlushed(t *testing.T) {
	s := startServer(t)
	index := startShared(t, s, nil)
	visit(t, index, join(1, 1))
	s.do("SCRIPT", "FLUSH")
	assert.Equal(t, []correlation.Result{
		{Members: []correlation.Member{at(1, 1)}, Came: 2, Decided: 2},
		{Members: []correlation.Member{at(1, 1), at(2, 2)}, Came: 3, Decided: 3},
	}, visits(t, index, join(1, 2), join(1, 3)))
}

// at is a member as results have it.
func at(n int, order correlation.Order) correlation.Member {
	m := member(n)
	m.Came, m.Decided = order, order
	return m
}

func TestClockThatGoesBack(t *testing.T) {
	s := startServer(t)
	index := startShared(t, s, nil)
	visits(t, index, hold(1, 1), join(1, 2), release(1, 1))
	s.pass(-10 * time.Second)
	assert.Equal(t, "1@1-3 2@2 | 4", written(visit(t, index, join(1, 3))))
	assert.Equal(t, "1@1-3 2@2 3@4 | 5", written(visit(t, index, look(1))))
}

func TestAnotherSeed(t *testing.T) {
	s := startServer(t)
	index := startShared(t, s, nil)
	visit(t, index, join(1, 1))
	s.do("FLUSHALL")
	s.do("SCRIPT", "FLUSH")
	s.do("SET", "otelcol_tc:seed", "1f")
	require.ErrorIs(t, index.Visit(t.Context(), []correlation.Visit{join(1, 1)}, ignore), errNewSeed, "these keys are of the seed before")
	seed, ok := index.Seed()
	assert.True(t, ok)
	assert.Equal(t, uint64(0x1f), seed)
	assert.Equal(t, "| 1", written(visit(t, index, join(1, 1))))
}

func TestSeedIsLookedUpAgain(t *testing.T) {
	s := startServer(t)
	index := startShared(t, s, nil)
	seed, _ := index.Seed()
	visit(t, index, look(1))
	s.do("FLUSHALL")
	visit(t, index, look(1))
	assert.Zero(t, s.do("EXISTS", "otelcol_tc:seed"), "a round trip more is not for each batch")
	index.seed.mu.Lock()
	index.seed.agreed = index.seed.agreed.Add(-seedInterval)
	index.seed.mu.Unlock()
	visit(t, index, look(1))
	assert.Equal(t, int64(1), s.do("EXISTS", "otelcol_tc:seed"), "the server gets it back")
	again, _ := index.Seed()
	assert.Equal(t, seed, again)
}

func TestWhatIsNoSeed(t *testing.T) {
	s := startServer(t)
	s.do("SET", "otelcol_tc:seed", "mine")
	index := startAlone(t, s.address, nil)
	assert.Eventually(t, func() bool {
		return tryVisit(t, index).Error() == `redis key otelcol_tc:seed: must hold a seed (got "mine")`
	}, 10*time.Second, 10*time.Millisecond)
	_, ok := index.Seed()
	assert.False(t, ok)
}

func TestBatchThatIsCancelled(t *testing.T) {
	s := startServer(t)
	index := startShared(t, s, nil)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, index.Visit(ctx, []correlation.Visit{look(1)}, ignore), context.Canceled)
	assert.Equal(t, "| 1", written(visit(t, index, look(1))), "it is no outage")
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
