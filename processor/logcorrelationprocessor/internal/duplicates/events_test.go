// SPDX-License-Identifier: Apache-2.0

package duplicates

import (
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/internal/attrhash"
)

func TestMemoryIsBounded(t *testing.T) {
	r := NewEvents(time.Hour)
	record := func(i int) []Record { return []Record{{Content: attrhash.Hash{Lo: uint64(i), Hi: 1}}} }
	for i := range 3 * maxEntries {
		r.Claim(record(i))
		require.LessOrEqual(t, len(r.newer.entries)+len(r.older.entries), 2*maxEntries)
	}
	last := record(2*maxEntries + 1)
	r.Claim(last)
	assert.True(t, last[0].Came, "the newer ones are remembered")
	first := record(0)
	r.Claim(first)
	assert.False(t, first[0].Came)
}

func TestMemoryIsGivenBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const window = time.Minute
		r := NewEvents(window)
		record := []Record{{Content: attrhash.Hash{Lo: 1}}}
		r.Claim(record)
		time.Sleep(window - time.Second)
		synctest.Wait()
		again := []Record{{Content: attrhash.Hash{Lo: 1}}}
		r.Claim(again)
		assert.True(t, again[0].Came, "within the window")
		time.Sleep(3 * window)
		synctest.Wait()
		assert.Empty(t, r.older.entries)
		assert.False(t, r.expires, "no timer is left")
	})
}

// TestEventsOfHandlers compares random histories with a count of what each handler sent: the nth record of a handler
// is of the nth event with its content, and came before if another handler had sent that event.
func TestEventsOfHandlers(t *testing.T) {
	for seed := range uint64(200) {
		random := rand.New(rand.NewPCG(seed, 1))
		r := NewEvents(time.Hour)
		events, sent := map[uint64]int{}, map[[2]uint64]int{}
		for step := range 100 {
			batch := make([]Record, 1+random.IntN(20))
			for i := range batch {
				content, handler := random.Uint64N(3), 1+random.Uint64N(3)
				batch[i].Content = attrhash.Hash{Lo: content, Hi: 7}
				batch[i].Handler = batch[i].Content.Number(handler)
			}
			r.Claim(batch)
			for _, record := range batch {
				content := record.Content.Lo
				of := [2]uint64{content, record.Handler.Lo}
				sent[of]++
				n := sent[of]
				require.Equal(t, n <= maxEqual && n <= events[content], record.Came, "seed %d, step %d", seed, step)
				events[content] = max(events[content], min(n, maxEqual))
			}
		}
	}
}

// After the window a record is a new event.
func TestWindow(t *testing.T) {
	r := NewEvents(time.Hour)
	content := attrhash.Hash{Lo: 1, Hi: 1}
	of := func(handler uint64) []Record { return []Record{{Content: content, Handler: content.Number(handler)}} }
	r.Claim(of(1))
	r.origin = r.origin.Add(-time.Hour - time.Second) // time passes
	first, second := of(2), of(1)
	r.Claim(first)
	r.Claim(second)
	assert.Equal(t, []bool{false, true}, []bool{first[0].Came, second[0].Came})
}
