// SPDX-License-Identifier: Apache-2.0

package correlationindexextension

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-tc/otelcol-tc/internal/correlation"
	"github.com/otelcol-tc/otelcol-tc/tests/indextest"
	"github.com/otelcol-tc/otelcol-tc/tests/testfiles"
)

// step is a request of testdata/requests.yaml, and what it finds.
type step struct {
	Op          string
	Key, Member int
	Finds       string // as indextest.Written has it
}

func TestRequests(t *testing.T) {
	requests := map[string]func(key, member int) correlation.Request{
		"join": indextest.Join, "hold": indextest.Hold, "release": indextest.Release,
		"look": func(key, _ int) correlation.Request { return indextest.Look(key) },
	}
	for name, steps := range testfiles.Read[map[string][]step](t, "testdata/requests.yaml") {
		t.Run(name, func(t *testing.T) {
			onBoth(t, time.Minute, func(t *testing.T, index bed) {
				all := make([]correlation.Request, len(steps))
				for i, s := range steps {
					all[i] = requests[s.Op](s.Key, s.Member)
				}
				for i, result := range indextest.All(t, index, all...) {
					assert.Equal(t, steps[i].Finds, indextest.Written(result), "step %d: %+v", i, steps[i])
				}
			})
		})
	}
}

func TestMembersKeepWhatTheyAre(t *testing.T) {
	onBoth(t, time.Minute, func(t *testing.T, index bed) {
		random := rand.New(rand.NewPCG(1, 2))
		for n := range 200 {
			v := indextest.RandomRequest(random, 1)
			v.Key, v.Op, v.Limit = indextest.KeyOf(1000+n), correlation.Join, 1
			indextest.One(t, index, v)
			found := indextest.One(t, index, indextest.Look(1000+n))
			require.Len(t, found.Members, 1)
			want := indextest.Kept(v.Member)
			want.Came, want.Decided = found.Members[0].Came, found.Members[0].Decided
			require.Equal(t, v.Member.Held, want.Decided == correlation.Undecided)
			require.Equal(t, want, found.Members[0])
		}
	})
}

func TestMembersExpire(t *testing.T) {
	onBoth(t, time.Minute, func(t *testing.T, index bed) {
		indextest.All(t, index, indextest.Hold(1, 1), indextest.Hold(1, 2))
		index.pass(40 * time.Second)
		indextest.All(t, index, indextest.Hold(1, 3))
		indextest.All(t, index, indextest.Hold(1, 1), indextest.Release(1, 1)) // comes again, is decided, and does not last longer
		index.pass(40 * time.Second)
		assert.Equal(t, "3@1- | 2", indextest.Written(indextest.One(t, index, indextest.Release(1, 2))))
		assert.Equal(t, "| 1-2", indextest.Written(indextest.One(t, index, indextest.Release(1, 3))))
		assert.Equal(t, "3@1-2 | 3", indextest.Written(indextest.One(t, index, indextest.Join(1, 1))))
		index.pass(40 * time.Second)
		assert.Equal(t, "1@1 | 2", indextest.Written(indextest.One(t, index, indextest.Look(1))))
		index.pass(40 * time.Second)
		assert.Equal(t, "| 1", indextest.Written(indextest.One(t, index, indextest.Look(1))))
	})
}

// Members expire by when they came. A span can state any start.
func TestStartsDoNotDecideWhenMembersExpire(t *testing.T) {
	onBoth(t, time.Minute, func(t *testing.T, index bed) {
		for n, start := range []pcommon.Timestamp{0, 1, math.MaxUint64} {
			v := indextest.Hold(n+1, 1)
			v.Member.Start, v.Member.End = start, start
			indextest.One(t, index, v)
		}
		index.pass(50 * time.Second)
		for n := range 3 {
			assert.Equal(t, "1@1- | 2", indextest.Written(indextest.One(t, index, indextest.Look(n+1))))
		}
		index.pass(20 * time.Second)
		for n := range 3 {
			assert.Equal(t, "| 1", indextest.Written(indextest.One(t, index, indextest.Look(n+1))))
		}
	})
}

func TestPoisonExpires(t *testing.T) {
	onBoth(t, time.Minute, func(t *testing.T, index bed) {
		indextest.All(t, index, indextest.Join(1, 1), indextest.Join(1, 2), indextest.Join(1, 3))
		index.pass(40 * time.Second)
		assert.Equal(t, "poison", indextest.Written(indextest.One(t, index, indextest.Join(1, 4))))
		index.pass(40 * time.Second)
		assert.Equal(t, "poison", indextest.Written(indextest.One(t, index, indextest.Join(1, 5))), "it lasts from when the key was poisoned")
		index.pass(40 * time.Second)
		assert.Equal(t, "| 1", indextest.Written(indextest.One(t, index, indextest.Join(1, 6))), "no request has made it last longer")
		assert.Equal(t, "6@1 | 2", indextest.Written(indextest.One(t, index, indextest.Look(1))))
	})
}

// TestRandomRequests lets whole seconds pass, so that members do not expire just while
// a test that is not fast runs.
func TestRandomRequests(t *testing.T) {
	// Long, because Redis has the machine's clock: the half minute is what the test itself may take.
	const window = 20*time.Minute + 30*time.Second
	onBoth(t, window, func(t *testing.T, index bed) {
		random := rand.New(rand.NewPCG(3, 4))
		right := &indextest.Oracle{Window: window}
		now := time.Duration(0)
		for range 300 {
			if random.IntN(3) == 0 {
				d := time.Duration(random.IntN(10)) * time.Minute
				index.pass(d)
				now += d
			}
			batch := make([]correlation.Request, random.IntN(20))
			for i := range batch {
				batch[i] = indextest.RandomRequest(random, 12)
			}
			for i, result := range indextest.All(t, index, batch...) {
				require.Equal(t, indextest.Ranked(right.Do(batch[i], now)), result, "%+v", batch[i])
			}
		}
	})
}
