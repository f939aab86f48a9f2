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
	f(0, 100, 100)   // nothing was collected yet
	f(10, 1000, 800) // no more than is of use
	f(100, 900, 800) // just
	f(100, 899, 750) // in steps
	f(100, 250, 150)
	f(100, 200, 100)
	f(100, 120, 100) // never less than Go's default
	f(100, 50, 100)
}

func TestGarbageIsBounded(t *testing.T) {
	f := func(live, garbage uint64, want int) {
		t.Helper()
		assert.Equal(t, want, growth(live*mib, 1<<40, garbage*mib))
	}
	f(10, 128, 800) // no more than is of use
	f(16, 128, 800) // just
	f(20, 128, 600) // in steps
	f(64, 128, 200)
	f(128, 128, 100)
	f(1000, 128, 100) // never less than Go's default
	f(10, 0, 100)
}

// The context ends all that was started.
func TestStartEnds(t *testing.T) {
	limit, percent := debug.SetMemoryLimit(-1), debug.SetGCPercent(restPercent)
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
	before := debug.SetGCPercent(restPercent)
	t.Cleanup(func() { debug.SetGCPercent(before) })
	set := func() int {
		percent := debug.SetGCPercent(restPercent)
		debug.SetGCPercent(percent)
		return percent
	}
	c, now := newCollector(1<<40, 1<<40), time.Now()

	runtime.GC()
	c.look(now)
	assert.Equal(t, busyPercent, set(), "it has just been collected")

	debug.SetGCPercent(busyPercent * 100) // no collection comes between by itself
	c.look(now.Add(restAfter - time.Millisecond))
	assert.Equal(t, busyPercent*100, set(), "nothing changed, so nothing is set")
	c.look(now.Add(restAfter))
	assert.Equal(t, restPercent, set(), "at rest")

	debug.SetGCPercent(busyPercent * 100)
	runtime.GC()
	c.look(now.Add(2 * restAfter))
	assert.Equal(t, busyPercent, set(), "at work again")
}
