package correlationindexextension

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/internal/correlation"
)

// Visits that are made together find what they find when each is made alone, also when
// they find more members than a group holds, and when the ring is full.
func TestVisitsTogetherFindTheSame(t *testing.T) {
	rounds := 30
	if testing.Short() {
		rounds = 3 // one of each number of keys
	}
	for round := range rounds {
		small := func(cfg *Config) { cfg.MaxMemoryMib = 1 }
		together, alone := startMemory(t, small), startMemory(t, small)
		rng := rand.New(rand.NewPCG(uint64(round), 1))
		keys := []int{3, 60, 20_000}[round%3]
		for range 12 {
			batch := make([]correlation.Visit, 1+rng.IntN(3*groupSize))
			for i := range batch {
				batch[i] = correlation.Visit{
					Key: keyOf(rng.IntN(keys)), Op: correlation.Op(rng.IntN(3)), Member: member(rng.IntN(1 << 15)), Limit: 64 << rng.IntN(5),
				}
				batch[i].Member.Held = rng.IntN(4) == 0
				batch[i].Member.TraceState = "state"[:rng.IntN(6)]
			}
			got := visits(t, together, batch...)
			for i, v := range batch {
				require.Equal(t, visit(t, alone, v), got[i], "round %d, visit %d of %d", round, i, len(batch))
			}
		}
		assert.Equal(t, evicted(alone), evicted(together))
	}
}

func evicted(m *memory) (sum uint64) {
	for i := range m.shards {
		sum += m.shards[i].evicted
	}
	return sum
}
