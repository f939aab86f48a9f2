package runtimetune

import (
	"context"
	"runtime"
	"runtime/debug"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestGrowthStaysWithinTheRoom(t *testing.T) {
	f := func(live, room uint64, want int) {
		t.Helper()
		assert.Equal(t, want, growth(live*mib, room*mib, 1<<40))
	}
	f(0, 100, 100)   // no collection yet
	f(10, 1000, 800) // the maximum
	f(100, 900, 800) // exactly within the room
	f(100, 899, 750) // rounded down
	f(100, 250, 150)
	f(100, 200, 100)
	f(100, 160, 50)
	f(100, 120, 50) // the minimum
	f(100, 50, 50)
}

func TestGarbageIsBounded(t *testing.T) {
	f := func(live, garbage uint64, want int) {
		t.Helper()
		assert.Equal(t, want, growth(live*mib, 1<<40, garbage*mib))
	}
	f(10, 128, 800) // the maximum
	f(16, 128, 800) // exactly within the bound
	f(20, 128, 600) // rounded down
	f(64, 128, 200)
	f(128, 128, 100)
	f(1000, 128, 50) // the minimum
	f(10, 0, 50)
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
	Start(ctx)
	cancel()
	for deadline := time.Now().Add(10 * time.Second); runtime.NumGoroutine() > before && time.Now().Before(deadline); {
		time.Sleep(time.Millisecond)
	}
	assert.LessOrEqual(t, runtime.NumGoroutine(), before)
}

func TestCollectorFollowsTheLoad(t *testing.T) {
	before := debug.SetGCPercent(idlePercent)
	t.Cleanup(func() { debug.SetGCPercent(before) })
	set := func() int {
		percent := debug.SetGCPercent(idlePercent)
		debug.SetGCPercent(percent)
		return percent
	}
	c, now := newCollector(1<<40, 1<<40), time.Now()

	runtime.GC()
	c.look(now)
	assert.Equal(t, busyPercent, set(), "a collection has just ended")

	debug.SetGCPercent(busyPercent * 100) // prevents a collection before the next step
	c.look(now.Add(idleAfter - time.Millisecond))
	assert.Equal(t, busyPercent*100, set(), "nothing changed, so it sets nothing")
	c.look(now.Add(idleAfter))
	assert.Equal(t, idlePercent, set(), "at rest")

	debug.SetGCPercent(busyPercent * 100)
	runtime.GC()
	c.look(now.Add(2 * idleAfter))
	assert.Equal(t, busyPercent, set(), "under load again")
}
