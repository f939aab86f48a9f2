// SPDX-License-Identifier: Apache-2.0

package namingprocessor

import (
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestConcurrentBatches checks that concurrent batches with competing names lose and duplicate no point.
// Once all names are known, each batch has the same result as from one goroutine.
func TestConcurrentBatches(t *testing.T) {
	p, sink := startMetrics(t, defaultConfig())
	var wg sync.WaitGroup
	sent := make([]int, 8)
	for g := range sent {
		wg.Go(func() {
			r := random{rand.New(rand.NewPCG(uint64(g), 5))}
			for range 100 {
				md := r.rivals()
				sent[g] += md.DataPointCount()
				assert.NoError(t, p.ConsumeMetrics(t.Context(), md))
			}
		})
	}
	wg.Wait()
	total := 0
	for _, n := range sent {
		total += n
	}
	assert.Equal(t, total, sink.DataPointCount())

	alone, aloneSink := startMetrics(t, defaultConfig())
	for g := range sent {
		r := random{rand.New(rand.NewPCG(uint64(g), 5))}
		for range 100 {
			assert.NoError(t, alone.ConsumeMetrics(t.Context(), r.rivals()))
		}
	}
	sink.Reset()
	aloneSink.Reset()
	for seed := range uint64(50) {
		r := random{rand.New(rand.NewPCG(seed, 5))}
		again := random{rand.New(rand.NewPCG(seed, 5))}
		assert.NoError(t, p.ConsumeMetrics(t.Context(), r.rivals()))
		assert.NoError(t, alone.ConsumeMetrics(t.Context(), again.rivals()))
	}
	assert.Equal(t, summedPoints(t, aloneSink.AllMetrics()...), summedPoints(t, sink.AllMetrics()...))
}
