// SPDX-License-Identifier: Apache-2.0

package runtimetune

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestGarbageLimit(t *testing.T) {
	f := func(value string, want uint64) {
		t.Helper()
		t.Setenv(garbageVariable, value)
		got, err := garbageLimit()
		require.NoError(t, err)
		assert.Equal(t, want*mib, got)
	}
	f("1", 1)
	f("64", 64)
	f("1048576", 1<<20)

	require.NoError(t, os.Unsetenv(garbageVariable))
	got, err := garbageLimit()
	require.NoError(t, err)
	assert.EqualValues(t, 96*mib, got)

	for _, value := range []string{"", "0", "-1", "1.5", "64MiB", "1048577", "99999999999999999999"} {
		t.Setenv(garbageVariable, value)
		_, err := garbageLimit()
		assert.EqualError(t, err, fmt.Sprintf("OTELCOL_TC_GARBAGE must be a whole number of MiB from 1 to 1048576 (got %q)", value))
		assert.Error(t, Start(t.Context()), "stops the start")
	}
}

// A collection is followed by a look at what lives, and the next one is, too.
func TestLooksAfterCollections(t *testing.T) {
	looks := make(chan struct{}, 100)
	afterCollections(t.Context(), func() { looks <- struct{}{} })
	for range 3 {
		require.Eventually(t, func() bool {
			runtime.GC()
			return len(looks) > 0
		}, time.Minute, time.Millisecond, "no look after collections")
		<-looks
	}
}

// TestStartEnds checks that all goroutines end with the context.
func TestStartEnds(t *testing.T) {
	limit, percent := debug.SetMemoryLimit(-1), debug.SetGCPercent(100)
	t.Cleanup(func() {
		debug.SetMemoryLimit(limit)
		debug.SetGCPercent(percent)
	})
	before := runtime.NumGoroutine()
	ctx, cancel := context.WithCancel(t.Context())
	require.NoError(t, Start(ctx))
	cancel()
	for deadline := time.Now().Add(time.Minute); runtime.NumGoroutine() > before && time.Now().Before(deadline); {
		time.Sleep(time.Millisecond)
	}
	assert.LessOrEqual(t, runtime.NumGoroutine(), before)
}

// A first look sets the percentage exactly; later ones leave it while it is near.
func TestCollectorSetsThePercentage(t *testing.T) {
	before := debug.SetGCPercent(100)
	t.Cleanup(func() { debug.SetGCPercent(before) })
	runtime.GC()
	c := newCollector(unlimited, leastRoom)
	c.look(time.Now())
	live := c.room.seen.live
	assert.Equal(t, int(100*(leastRoom-live)/live), debug.SetGCPercent(100), "the heap grows up to the limit")
}
