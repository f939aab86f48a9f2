// SPDX-License-Identifier: Apache-2.0

package periodic

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), 3500*time.Millisecond)
		defer cancel()
		var calls []time.Duration
		Run(ctx, time.Second, func(now time.Time) { calls = append(calls, now.Sub(begin)) })
		assert.Equal(t, []time.Duration{time.Second, 2 * time.Second, 3 * time.Second}, calls)
		assert.Equal(t, 3500*time.Millisecond, time.Since(begin))
	})
}
