package main

import (
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
	// restAfter is how long after a collection a process is at rest: to collect more often would
	// cost next to nothing, so it gives back its memory.
	restAfter = 30 * time.Second
	lookEvery = time.Second
)

// The variable GOGC overrides this. As with the limit of memory, main takes nothing of the kind.
func init() {
	if os.Getenv("GOGC") != "" {
		return
	}
	memory, err := memlimit.ApplyFallback(memlimit.FromCgroup, memlimit.FromSystem)()
	if err != nil {
		return // of a system that does not tell
	}
	go adjustCollector(newCollector(uint64(roomRatio * float64(memory))))
}

func adjustCollector(c *collector) {
	for now := range time.Tick(lookEvery) {
		c.look(now)
	}
}

// collector sets how much the heap grows between two runs of Go's garbage collector.
type collector struct {
	room      uint64 // for the heap, in bytes
	samples   []metrics.Sample
	cycles    uint64    // that were
	collected time.Time // when the last one was seen
	percent   int       // that is set
}

func newCollector(room uint64) *collector {
	return &collector{
		room:    room,
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
		percent = growth(live, c.room)
	}
	if percent != c.percent { // to set it stops the process for a moment
		c.percent = percent
		debug.SetGCPercent(percent)
	}
}

// growth is by how many percent of what lives the heap may grow, so that it stays within its
// room. Where that is too small Go's default stays: it is for memory_limiter to refuse data.
func growth(live, room uint64) int {
	if live == 0 || room < live {
		return restPercent
	}
	// In steps, since each change stops the process.
	const step = 50
	return int(min(max((room-live)*100/live/step*step, restPercent), busyPercent))
}
