// SPDX-License-Identifier: Apache-2.0

package series

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/otelcol-tc/otelcol-tc/internal/attrhash"
	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor/internal/plan"
)

// A metric that was unlocked without a series leaves the store once, also if it expires before it has left.
func TestRemovedMetricDoesNotExpire(t *testing.T) {
	store := New(Settings{MaxStale: time.Minute}, 1<<20)
	store.Started = store.Started.Add(-time.Hour)
	m := store.Lock(store.Add(attrhash.Hash{Lo: 1}, Planned{Plan: plan.New(nil, plan.Settings{}).Restore(plan.Input{Name: "m"})}, Service{Name: "s"}))
	m.removed = true // as Unlock does, before it removes the metric
	m.mu.Unlock()
	store.Expire(time.Now(), m.ID.Lo%Sweeps)
	store.remove(m)
	assert.Zero(t, store.metrics.Size())
	assert.Zero(t, store.services.Size())
	assert.Zero(t, store.Memory.Used.Load())
}
