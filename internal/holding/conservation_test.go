// SPDX-License-Identifier: Apache-2.0

package holding

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/collector/consumer/consumererror"
)

// TestConservation runs random scenarios. Several goroutines hold values for random times, the next
// component accepts them, is busy for a time or refuses them permanently, and at a random time the queue
// shuts down. Each value is delivered once or reported as lost.
func TestConservation(t *testing.T) {
	for seed := range uint64(150) {
		synctest.Test(t, func(t *testing.T) { play(t, rand.New(rand.NewPCG(seed, 8))) })
		if t.Failed() {
			t.Fatal("seed", seed)
		}
	}
}

const (
	playedItems = 50
	playedBytes = 700
)

func play(t *testing.T, r *rand.Rand) {
	n := &next{}
	options := n.options()
	options.MaxItems, options.MaxBytes = playedItems, playedBytes
	if r.IntN(2) == 0 {
		options.Every = time.Duration(1+r.IntN(300)) * time.Millisecond
		of := 1 + r.IntN(20)
		options.Ready = func(_ context.Context, values []int, ready []bool) {
			time.Sleep(time.Duration(of) * time.Millisecond)
			for i, v := range values {
				ready[i] = v%of == 0
			}
		}
	}
	busy, refuses := r.IntN(4), r.IntN(3)
	chance := rand.New(rand.NewPCG(r.Uint64(), 9)) // guarded by n.mu
	refused := 0
	n.answers(func(values []int) error {
		switch {
		case chance.IntN(4) < busy:
			return errBusy
		case chance.IntN(10) < refuses:
			refused += len(values)
			return consumererror.NewPermanent(errBusy)
		default:
			return nil
		}
	})
	q := New(options)
	assert.NoError(t, q.Start(t.Context()))

	const holders = 4
	var wg sync.WaitGroup
	held := [holders]int{}
	for holder := range holders {
		chance := rand.New(rand.NewPCG(r.Uint64(), 10))
		wg.Go(func() {
			for v := range 100 {
				bytes := chance.IntN(40)
				if q.Accepts(1, bytes) {
					q.Hold(holder*1000+v, bytes, time.Duration(chance.IntN(2000))*time.Millisecond)
					held[holder]++
				}
				assert.LessOrEqual(t, items(q), 2*playedItems+holders)
				time.Sleep(time.Duration(chance.IntN(50)) * time.Millisecond)
			}
		})
	}
	if r.IntN(2) == 0 {
		wg.Wait()
	}
	time.Sleep(time.Duration(r.IntN(3)) * time.Second)
	err := q.Shutdown(context.Background())
	wg.Wait()

	total := 0
	for _, some := range held {
		total += some
	}
	seen := map[int]bool{}
	for _, v := range n.delivered {
		assert.False(t, seen[v], "%d was delivered twice", v)
		seen[v] = true
		assert.Contains(t, n.released, v)
	}
	assert.Equal(t, total, len(n.delivered)+n.lost)
	late := 0
	for _, err := range n.lostErrs {
		if errors.Is(err, errStopped) {
			late++
		}
	}
	assert.Equal(t, n.lost > refused+late, err != nil)
	assert.Zero(t, items(q))
}
