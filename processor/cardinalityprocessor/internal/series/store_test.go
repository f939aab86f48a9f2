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
	m := store.Lock(store.Add(attrhash.Hash{Lo: 1}, Planned{Plan: plan.New(nil, plan.Settings{}, 0).Restore(plan.Input{Name: "m"})}, Service{Name: "s"}))
	m.removed = true // as Unlock does, before it removes the metric
	m.mu.Unlock()
	store.Expire(time.Now(), m.ID.Lo%Sweeps)
	store.remove(m)
	assert.Zero(t, store.metrics.Size())
	assert.Zero(t, store.services.Size())
	assert.Zero(t, store.Memory.Used.Load())
}

// A metric that is replaced after it was unlocked without a series, and before it has left the store, leaves its
// service once.
func TestRemovedMetricIsReplaced(t *testing.T) {
	store := New(Settings{MaxStale: time.Minute}, 1<<20)
	rules := plan.New(nil, plan.Settings{Limit: 1}, 0).Restore(plan.Input{Name: "m"})
	m := store.Lock(store.Add(attrhash.Hash{Lo: 1}, Planned{Plan: rules}, Service{Name: "s"}))
	m.removed = true // as Unlock does, before it removes the metric
	m.mu.Unlock()
	other := plan.New(nil, plan.Settings{Limit: 2}, 1).Restore(plan.Input{Name: "m"})
	fresh := store.Replan(m, Planned{Plan: other}, time.Now())
	store.remove(m)
	store.dropBefore(fresh)
	assert.Equal(t, 1, store.services.Size(), "that of the new metric")
	store.remove(fresh)
	assert.Zero(t, store.metrics.Size())
	assert.Zero(t, store.services.Size())
	assert.Zero(t, store.Memory.Used.Load())
}

// Metrics of an earlier policy are dropped although no series can be stale yet.
func TestReplacedMetricIsDropped(t *testing.T) {
	store := New(Settings{MaxStale: time.Hour}, 1<<20)
	planned := func(limit int) Planned {
		return Planned{Plan: plan.New(nil, plan.Settings{Limit: limit}, uint32(limit)).Restore(plan.Input{Name: "m"})}
	}
	m := store.Add(attrhash.Hash{Lo: 1}, planned(1), Service{Name: "s"})
	fresh := store.Replan(m, planned(2), store.Started)
	store.Expire(store.Started.Add((latestBatch-1)*time.Second), m.ID.Lo%Sweeps)
	assert.Same(t, m, fresh.before.Load())
	store.Expire(store.Started.Add((latestBatch+2)*time.Second), m.ID.Lo%Sweeps)
	assert.Nil(t, fresh.before.Load())
}
