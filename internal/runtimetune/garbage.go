package runtimetune

import (
	"context"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"time"

	"github.com/KimMachineGun/automemlimit/memlimit"
)

const (
	// restPercent is Go's own default: collect when the heap is twice what lives.
	restPercent = 100
	// busyPercent is worth a third of the CPU time at full speed, for memory that is there: what
	// lives is small, and most is garbage as soon as a batch is gone.
	busyPercent = 800
	// roomRatio is the part of the memory that the heap may grow into, garbage included. It is
	// below where memory_limiter begins to refuse data (55 % in the profiles): it counts garbage
	// as well.
	roomRatio = 0.45
	// maxGarbage is how much garbage the heap may hold beyond Go's default, in bytes. Without it a
	// process with no limit, on a large machine, would grow to a GiB; most of the gain comes with
	// the first 50 MiB.
	maxGarbage = 128 << 20
	// restAfter is how long after a collection a process is at rest: to collect more often would
	// cost next to nothing, so it gives back its memory.
	restAfter = 30 * time.Second
	lookEvery = time.Second
)

// startAdjusting adjusts Go's garbage collector until the context ends. The variable GOGC
// overrides it.
func startAdjusting(ctx context.Context) {
	if os.Getenv("GOGC") != "" {
		return
	}
	memory, err := memlimit.ApplyFallback(memlimit.FromCgroup, memlimit.FromSystem)()
	if err != nil {
		return // of a system that does not tell
	}
	c := newCollector(uint64(roomRatio*float64(memory)), maxGarbage)
	go c.adjustUntil(ctx.Done())
}

// adjustUntil adjusts the collector every second until done is closed.
func (c *collector) adjustUntil(done <-chan struct{}) {
	ticker := time.NewTicker(lookEvery)
	defer ticker.Stop()
	for {
		select {
		case <-done:
			return
		case now := <-ticker.C:
			c.look(now)
		}
	}
}

// collector sets how much the heap grows between two runs of Go's garbage collector.
type collector struct {
	room      uint64 // for the heap, in bytes
	garbage   uint64 // that the heap may hold beyond Go's default, in bytes
	samples   []metrics.Sample
	cycles    uint64    // that were
	collected time.Time // when the last one was seen
	percent   int       // that is set
}

func newCollector(room, garbage uint64) *collector {
	return &collector{
		room:    room,
		garbage: garbage,
		samples: []metrics.Sample{{Name: "/gc/cycles/total:gc-cycles"}, {Name: "/gc/heap/live:bytes"}},
		percent: restPercent,
	}
}

// look adjusts the collector to what the process does now.
func (c *collector) look(now time.Time) {
	metrics.Read(c.samples)
	cycles, live := c.samples[0].Value.Uint64(), c.samples[1].Value.Uint64()
	if cycles != c.cycles {
		c.cycles, c.collected = cycles, now
	}
	percent := restPercent
	if now.Sub(c.collected) < restAfter {
		percent = growth(live, c.room, c.garbage)
	}
	if percent != c.percent { // to set it stops the process for a moment
		c.percent = percent
		debug.SetGCPercent(percent)
	}
}

// growth returns by how many percent of what lives the heap may grow, so that it stays within its
// room and holds no more garbage than it may. Where that is less than Go's default, the default
// stays: it is for memory_limiter to refuse data.
func growth(live, room, garbage uint64) int {
	if live == 0 || room < live {
		return restPercent
	}
	// In steps, since each change stops the process.
	const step = 50
	return int(min(max(min(room-live, garbage)*100/live/step*step, restPercent), busyPercent))
}
