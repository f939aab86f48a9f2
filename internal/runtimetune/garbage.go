package runtimetune

import (
	"context"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"time"

	"github.com/KimMachineGun/automemlimit/memlimit"

	"github.com/otelcol-tc/otelcol-tc/internal/periodic"
)

const (
	// idlePercent is Go's default: the collector runs when the heap is twice the live heap.
	idlePercent = 100
	// leastPercent is for a large live heap, as of a gateway with a million series: twice its size would
	// be mostly garbage.
	leastPercent = 50
	// busyPercent saves a third of the CPU time at full load and uses free memory for it. The live heap is
	// small, because most memory is garbage once a batch is sent.
	busyPercent = 800
	// roomRatio is the part of the memory limit that the heap may grow to, garbage included. It is below
	// the limit at which memory_limiter refuses data (55 % in the profiles), because memory_limiter counts
	// garbage too.
	roomRatio = 0.45
	// maxGarbage limits the garbage, in bytes, as far as leastPercent allows. Without it, a process without a memory
	// limit would grow to 1 GiB on a large machine. The first 50 MiB bring most of the gain.
	maxGarbage = 128 << 20
	// idleAfter is the time since the last collection after which a process counts as idle. Collecting
	// more often then costs little, so the process returns its memory.
	idleAfter = 30 * time.Second
	lookEvery = time.Second
)

// startAdjusting adjusts Go's garbage collector until the context ends. If the variable GOGC is set, it
// does nothing.
func startAdjusting(ctx context.Context) {
	if os.Getenv("GOGC") != "" {
		return
	}
	memory, err := memlimit.ApplyFallback(memlimit.FromCgroup, memlimit.FromSystem)()
	if err != nil {
		return // the system does not report its memory
	}
	c := newCollector(uint64(roomRatio*float64(memory)), maxGarbage)
	go periodic.Run(ctx, lookEvery, c.look)
}

// collector sets how much the heap may grow between two runs of Go's garbage collector.
type collector struct {
	room      uint64 // limit of the heap, in bytes
	garbage   uint64 // limit of the garbage, in bytes
	samples   []metrics.Sample
	cycles    uint64    // number of collections so far
	collected time.Time // time of the last collection seen
	percent   int       // the value that is set
}

func newCollector(room, garbage uint64) *collector {
	return &collector{
		room:    room,
		garbage: garbage,
		samples: []metrics.Sample{{Name: "/gc/cycles/total:gc-cycles"}, {Name: "/gc/heap/live:bytes"}},
		percent: idlePercent,
	}
}

// look adjusts the collector to the current load.
func (c *collector) look(now time.Time) {
	metrics.Read(c.samples)
	cycles, live := c.samples[0].Value.Uint64(), c.samples[1].Value.Uint64()
	if cycles != c.cycles {
		c.cycles, c.collected = cycles, now
	}
	percent := idlePercent
	if now.Sub(c.collected) < idleAfter {
		percent = growth(live, c.room, c.garbage)
	}
	if percent != c.percent { // setting it stops the process for a moment
		c.percent = percent
		debug.SetGCPercent(percent)
	}
}

// growth returns by how many percent of the live heap the heap may grow within both limits. It returns at
// least leastPercent, because refusing data is the task of memory_limiter.
func growth(live, room, garbage uint64) int {
	if live == 0 {
		return idlePercent
	}
	if room < live {
		return leastPercent
	}
	// Rounded, because each change stops the process.
	const step = 50
	return int(min(max(min(room-live, garbage)*100/live/step*step, leastPercent), busyPercent))
}
