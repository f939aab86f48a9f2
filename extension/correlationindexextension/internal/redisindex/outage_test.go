// SPDX-License-Identifier: Apache-2.0

package redisindex

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestOutage(t *testing.T) {
	o := &outage{}
	now := time.Now()
	assert.True(t, o.enter(now))
	assert.False(t, o.reached())
	assert.True(t, o.failed(now))
	assert.False(t, o.failed(now), "a batch that went at the same time does not begin another")
	assert.False(t, o.enter(now.Add(backOff-1)))
	now = now.Add(backOff)
	assert.True(t, o.enter(now), "one tries")
	assert.False(t, o.enter(now), "the others do not")
	o.abandoned()
	assert.True(t, o.enter(now), "another tries in its place")
	assert.False(t, o.failed(now))
	assert.False(t, o.enter(now))
	now = now.Add(backOff)
	assert.True(t, o.enter(now))
	assert.True(t, o.reached())
	assert.True(t, o.enter(now))
	assert.True(t, o.enter(now))
}
