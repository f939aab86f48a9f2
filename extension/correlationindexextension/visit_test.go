package correlationindexextension

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/internal/correlation"
)

// step is a visit and what it finds, written as
//
//	1@1 2@2-5 3@4- | 6
//
// for member 1 that came first, 2 that came second and was decided fifth, 3 that is
// undecided, and the visitor that came last.
type step struct {
	visit correlation.Visit
	finds string
}

func TestVisits(t *testing.T) {
	for name, steps := range map[string][]step{
		"who comes finds those before": {
			{look(1), "| 1"},
			{join(1, 1), "| 1"},
			{join(1, 2), "1@1 | 2"},
			{join(1, 3), "1@1 2@2 | 3"},
			{look(1), "1@1 2@2 3@3 | 4"},
			{look(2), "| 1"},
		},
		"who comes again finds all, and its place": {
			{join(1, 1), "| 1"},
			{join(1, 1), "| 1"},
			{join(1, 2), "1@1 | 2"},
			{join(1, 3), "1@1 2@2 | 3"},
			{join(1, 2), "1@1 3@3 | 2"},
			{join(1, 1), "2@2 3@3 | 1"},
			{look(1), "1@1 2@2 3@3 | 4"},
		},
		"who is held is decided when it is released, once": {
			{hold(1, 1), "| 1-"},
			{hold(1, 1), "| 1-"},
			{join(1, 1), "| 1-"},
			{join(1, 2), "1@1- | 2"},
			{release(1, 1), "2@2 | 1-3"},
			{release(1, 1), "2@2 | 1-3"},
			{join(1, 3), "1@1-3 2@2 | 4"},
			{release(1, 1), "2@2 3@4 | 1-3"},
			{hold(1, 1), "2@2 3@4 | 1-3"},
			{release(1, 2), "1@1-3 3@4 | 2"},
		},
		"who is released later is decided later": {
			{hold(1, 1), "| 1-"},
			{hold(1, 2), "1@1- | 2-"},
			{release(1, 2), "1@1- | 2-3"},
			{hold(1, 3), "1@1- 2@2-3 | 4-"},
			{release(1, 1), "2@2-3 3@4- | 1-5"},
			{release(1, 3), "1@1-5 2@2-3 | 4-6"},
			{look(1), "1@1-5 2@2-3 3@4-6 | 7"},
		},
		"who is not there is not released": {
			{join(1, 1), "| 1"},
			{release(1, 2), "1@1 | 2"},
			{join(1, 2), "1@1 | 2"},
			{release(2, 1), "| 1"},
			{look(2), "| 1"},
		},
		"one too many poisons a key": {
			{join(1, 1), "| 1"},
			{join(1, 2), "1@1 | 2"},
			{join(1, 3), "1@1 2@2 | 3"},
			{join(1, 3), "1@1 2@2 | 3"},
			{join(1, 4), "poison"},
			{join(1, 1), "poison"},
			{look(1), "poison"},
			{release(1, 1), "poison"},
			{join(2, 4), "| 1"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			onBoth(t, time.Minute, func(t *testing.T, index bed) {
				all := make([]correlation.Visit, len(steps))
				for i := range steps {
					all[i] = steps[i].visit
				}
				for i, result := range visits(t, index, all...) {
					assert.Equal(t, steps[i].finds, written(result), "step %d", i)
				}
			})
		})
	}
}

func written(r correlation.Result) string {
	if r.Poisoned {
		return "poison"
	}
	orders := func(came, decided correlation.Order) string {
		switch decided {
		case came:
			return fmt.Sprint(came)
		case correlation.Undecided:
			return fmt.Sprintf("%d-", came)
		default:
			return fmt.Sprintf("%d-%d", came, decided)
		}
	}
	text := ""
	for _, m := range r.Members {
		text += fmt.Sprintf("%d@%s ", m.SpanID[7], orders(m.Came, m.Decided))
	}
	return text + "| " + orders(r.Came, r.Decided)
}

func TestMembersKeepWhatTheyAre(t *testing.T) {
	onBoth(t, time.Minute, func(t *testing.T, index bed) {
		random := rand.New(rand.NewPCG(1, 2))
		for n := range 200 {
			v := randomVisit(random, 1)
			v.Key, v.Op, v.Limit = keyOf(1000+n), correlation.Join, 1
			visit(t, index, v)
			found := visit(t, index, look(1000+n))
			require.Len(t, found.Members, 1)
			want := kept(v.Member)
			want.Came, want.Decided = found.Members[0].Came, found.Members[0].Decided
			require.Equal(t, v.Member.Held, want.Decided == correlation.Undecided)
			require.Equal(t, want, found.Members[0])
		}
	})
}

func TestMembersExpire(t *testing.T) {
	onBoth(t, time.Minute, func(t *testing.T, index bed) {
		visits(t, index, hold(1, 1), hold(1, 2))
		index.pass(40 * time.Second)
		visits(t, index, hold(1, 3))
		visits(t, index, hold(1, 1), release(1, 1)) // comes again, is decided, and does not last longer
		index.pass(40 * time.Second)
		assert.Equal(t, "3@1- | 2", written(visit(t, index, release(1, 2))))
		assert.Equal(t, "| 1-2", written(visit(t, index, release(1, 3))))
		assert.Equal(t, "3@1-2 | 3", written(visit(t, index, join(1, 1))))
		index.pass(40 * time.Second)
		assert.Equal(t, "1@1 | 2", written(visit(t, index, look(1))))
		index.pass(40 * time.Second)
		assert.Equal(t, "| 1", written(visit(t, index, look(1))))
	})
}

func TestPoisonExpires(t *testing.T) {
	onBoth(t, time.Minute, func(t *testing.T, index bed) {
		visits(t, index, join(1, 1), join(1, 2), join(1, 3))
		index.pass(40 * time.Second)
		assert.Equal(t, "poison", written(visit(t, index, join(1, 4))))
		index.pass(40 * time.Second)
		assert.Equal(t, "poison", written(visit(t, index, join(1, 5))), "it lasts from when the key was poisoned")
		index.pass(40 * time.Second)
		assert.Equal(t, "| 1", written(visit(t, index, join(1, 6))), "no visit has made it last longer")
		assert.Equal(t, "6@1 | 2", written(visit(t, index, look(1))))
	})
}

// TestRandomVisits lets whole seconds pass, so that members do not expire just while
// a test that is not fast runs.
func TestRandomVisits(t *testing.T) {
	const window = 20*time.Second + 500*time.Millisecond
	onBoth(t, window, func(t *testing.T, index bed) {
		random := rand.New(rand.NewPCG(3, 4))
		right := &oracle{window: window}
		now := time.Duration(0)
		for range 300 {
			if random.IntN(3) == 0 {
				d := time.Duration(random.IntN(10)) * time.Second
				index.pass(d)
				now += d
			}
			batch := make([]correlation.Visit, random.IntN(20))
			for i := range batch {
				batch[i] = randomVisit(random, 12)
			}
			for i, result := range visits(t, index, batch...) {
				require.Equal(t, ranked(right.visit(batch[i], now)), result, "%+v", batch[i])
			}
		}
	})
}
