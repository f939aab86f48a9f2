package cardinalityprocessor

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/collector/pdata/pmetric"
)

// Whoever sends at once, and however often it is refused: what was sent comes out once.
func TestWireStress(t *testing.T) {
	c := newChain(t, nil, true)
	var sum, refused atomic.Int64
	c.quiet = func(md pmetric.Metrics) error {
		if rand.N(10) == 0 {
			refused.Add(1)
			return errRefused
		}
		for _, p := range receive(md) {
			sum.Add(int64(p.is["value"]))
		}
		return nil
	}
	const clients, rounds, value = 8, 200, 7
	var all sync.WaitGroup
	for client := range clients {
		all.Go(func() {
			for round := range rounds {
				request := c.wireRequest([]string{fmt.Sprint(client), fmt.Sprint(client, " ", round)}, value)
				for c.send(request) != nil {
				}
			}
		})
	}
	all.Wait()
	// What was refused last goes out with whatever comes next.
	last := c.wireRequest([]string{"last"}, value)
	for c.send(last) != nil {
	}
	assert.EqualValues(t, (2*clients*rounds+1)*value, sum.Load())
	assert.Positive(t, refused.Load())
	assert.Positive(t, c.outcomesOf(t)["folded"])
}
