// SPDX-License-Identifier: Apache-2.0

package series

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// A metric that was unlocked without a series leaves the store once, also if it expires before it has left.
func TestRemovedMetricDoesNotExpire(t *testing.T) {
	f := counters(t, Settings{}, ids)
	unlocked := f.store.Lock(f.metric)
	unlocked.removed = true // as Unlock does, before it removes the metric
	unlocked.mu.Unlock()
	f.store.Expire(time.Now(), unlocked.ID.Lo%Sweeps)
	f.store.remove(unlocked)
	assert.Zero(t, f.store.metrics.Size())
	assert.Zero(t, f.store.services.Size())
	assert.Zero(t, f.store.Memory.Used.Load())
}
