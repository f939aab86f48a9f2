// SPDX-License-Identifier: Apache-2.0

package redisindex

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestSeedIsLookedUpAgain(t *testing.T) {
	var s seed
	assert.True(t, s.due(time.Now()))
	assert.ErrorIs(t, s.set(7), errNewSeed)
	assert.NoError(t, s.set(7))
	now := time.Now()
	assert.False(t, s.due(now.Add(seedInterval-time.Second)), "a round trip more is not for each batch")
	now = now.Add(seedInterval)
	assert.True(t, s.due(now))
	assert.False(t, s.due(now), "one batch is enough")
	s.distrust()
	assert.True(t, s.due(now))
	value, known := s.get()
	assert.True(t, known)
	assert.Equal(t, uint64(7), value)
}
