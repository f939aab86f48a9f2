// SPDX-License-Identifier: Apache-2.0

package runtimetune

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// unlimited is a limit that does not matter.
const unlimited = 1 << 40

func TestGrowthStaysWithinTheRoom(t *testing.T) {
	f := func(live, room uint64, want int) {
		t.Helper()
		assert.Equal(t, want, newCollector(room*mib, unlimited).growth(live*mib, true))
	}
	f(0, 100, 100)   // no collection yet
	f(10, 1000, 800) // the maximum
	f(100, 900, 800) // exactly within the room
	f(100, 899, 750) // rounded down
	f(100, 250, 150)
	f(100, 200, 100)
	f(100, 199, 95)
	f(100, 160, 60)
	f(100, 120, 50) // the minimum
	f(100, 50, 50)
}

func TestGarbageIsBounded(t *testing.T) {
	f := func(live, garbage uint64, want int) {
		t.Helper()
		assert.Equal(t, want, newCollector(unlimited, garbage*mib).growth(live*mib, true))
	}
	f(10, 128, 800) // the maximum
	f(16, 128, 800) // exactly within the bound
	f(20, 128, 600) // rounded down
	f(64, 128, 200)
	f(128, 128, 100)
	f(256, 128, 50)
	f(300, 128, 40)
	f(512, 128, 25)
	f(513, 128, 25) // the minimum
	f(4096, 128, 25)
	f(500, 1024, 200)
	f(10, 0, 25)
}

// TestGarbageOfAnyHeap checks the limit for every live heap and memory of a machine.
func TestGarbageOfAnyHeap(t *testing.T) {
	for _, memory := range []uint64{256, 1024, 24 * 1024, 1024 * 1024} {
		c := newCollector(memory*mib, defaultGarbage*mib)
		for live := uint64(1); live <= 16*1024; live++ {
			for _, busy := range []bool{false, true} {
				garbage := float64(live) * float64(c.growth(live*mib, busy)) / 100
				assert.LessOrEqual(t, garbage, max(defaultGarbage, float64(live)*leastByGarbage/100), "%d MiB alive of %d, busy: %t", live, memory, busy)
			}
		}
	}
}

func TestIdleHeapGrowsNoMore(t *testing.T) {
	f := func(live uint64, want int) {
		t.Helper()
		assert.Equal(t, want, newCollector(unlimited, 128*mib).growth(live*mib, false))
	}
	f(10, 100)
	f(128, 100)
	f(256, 50)
	f(1000, 25)
}

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
	assert.EqualValues(t, 128*mib, got)

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
	limit, percent := debug.SetMemoryLimit(-1), debug.SetGCPercent(idlePercent)
	t.Cleanup(func() {
		debug.SetMemoryLimit(limit)
		debug.SetGCPercent(percent)
	})
	before := runtime.NumGoroutine()
	ctx, cancel := context.WithCancel(t.Context())
	require.NoError(t, Start(ctx))
	cancel()
	for deadline := time.Now().Add(10 * time.Second); runtime.NumGoroutine() > before && time.Now().Before(deadline); {
		time.Sleep(time.Millisecond)
	}
	assert.LessOrEqual(t, runtime.NumGoroutine(), before)
}

func TestCollectorFollowsTheLoad(t *testing.T) {
	before := debug.SetGCPercent(idlePercent)
	t.Cleanup(func() { debug.SetGCPercent(before) })
	set := func() int { // debug.SetGCPercent would have to change it, and so start a collection
		sample := []metrics.Sample{{Name: "/gc/gogc:percent"}}
		metrics.Read(sample)
		return int(sample[0].Value.Uint64())
	}
	c, now := newCollector(unlimited, unlimited), time.Now()

	runtime.GC()
	c.look(now)
	assert.Equal(t, busyPercent, set(), "a collection has just ended")

	// No collection runs before the next step: the last one has ended, and none begins.
	runtime.GC()
	c.look(now)
	debug.SetGCPercent(busyPercent * 100)
	c.look(now.Add(idleAfter - time.Millisecond))
	assert.Equal(t, busyPercent*100, set(), "nothing changed, so it sets nothing")
	c.look(now.Add(idleAfter))
	assert.Equal(t, idlePercent, set(), "at rest")

	debug.SetGCPercent(busyPercent * 100)
	runtime.GC()
	c.look(now.Add(2 * idleAfter))
	assert.Equal(t, busyPercent, set(), "under load again")
}
