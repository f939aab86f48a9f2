// SPDX-License-Identifier: Apache-2.0

package runtimetune

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strconv"
	"sync"
	"time"

	"github.com/KimMachineGun/automemlimit/memlimit"

	"github.com/otelcol-tc/otelcol-tc/internal/periodic"
)

const (
	// idlePercent is Go's default: the collector runs when the heap is twice the live heap.
	idlePercent = 100
	// busyPercent saves a third of the CPU time at full load and uses free memory for it. The live heap is
	// small, because most memory is garbage once a batch is sent.
	busyPercent = 800
	// roomRatio is the part of the memory limit that the heap may grow to, garbage included. It is below
	// the limit at which memory_limiter refuses data (55 % in the profiles), because memory_limiter counts
	// garbage too.
	roomRatio = 0.45
	// leastByRoom is the least growth where memory is scarce. Refusing data is the task of memory_limiter.
	leastByRoom = 50
	// leastByGarbage is the least growth of a large live heap, whatever garbageVariable allows. A collection
	// takes time in proportion to the live heap, so without it a gateway with a million series would only
	// collect (docs/adr/0002).
	leastByGarbage = 25
	// garbageVariable is the limit of the garbage, in MiB.
	garbageVariable = "OTELCOL_TC_GARBAGE"
	// defaultGarbage and mostGarbage are values of garbageVariable. Without a limit, a process without a memory limit
	// would grow to 1 GiB on a large machine. The first 50 MiB bring most of the gain.
	defaultGarbage = 128
	mostGarbage    = 1 << 20
	// idleAfter is the time since the last collection after which a process counts as idle. Collecting
	// more often then costs little, so the process returns its memory.
	idleAfter = 30 * time.Second
	lookEvery = time.Second
)

// garbageLimit returns the limit of the garbage, in bytes.
func garbageLimit() (uint64, error) {
	value, set := os.LookupEnv(garbageVariable)
	if !set {
		return defaultGarbage << 20, nil
	}
	mebibytes, err := strconv.ParseUint(value, 10, 64)
	if err != nil || mebibytes < 1 || mebibytes > mostGarbage {
		return 0, fmt.Errorf("%s must be a whole number of MiB from 1 to %d (got %q)", garbageVariable, mostGarbage, value)
	}
	return mebibytes << 20, nil
}

// startAdjusting adjusts Go's garbage collector until the context ends. If the variable GOGC is set, it
// does nothing.
func startAdjusting(ctx context.Context, garbage uint64) {
	if os.Getenv("GOGC") != "" {
		return
	}
	memory, err := memlimit.ApplyFallback(memlimit.FromCgroup, memlimit.FromSystem)()
	if err != nil {
		return // the system does not report its memory
	}
	c := newCollector(uint64(roomRatio*float64(memory)), garbage)
	afterCollections(ctx, func() { c.look(time.Now()) })
	go periodic.Run(ctx, lookEvery, c.look)
}

// afterCollections calls f after each collection until the context ends. When the live heap has grown, the percentage
// from before allows too much garbage.
func afterCollections(ctx context.Context, f func()) {
	if ctx.Err() != nil {
		return
	}
	// Nothing refers to it, so the next collection runs the cleanup. Go allocates smaller objects together with others,
	// which may be referred to.
	held := new([64]byte)
	runtime.AddCleanup(held, func(ctx context.Context) {
		f()
		afterCollections(ctx, f)
	}, ctx)
}

// collector sets how much the heap may grow between two runs of Go's garbage collector. It is safe for concurrent use.
type collector struct {
	room    uint64 // limit of the heap, in bytes
	garbage uint64 // limit of the garbage, in bytes

	mu        sync.Mutex // guards all below
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
	c.mu.Lock()
	defer c.mu.Unlock()
	metrics.Read(c.samples)
	cycles, live := c.samples[0].Value.Uint64(), c.samples[1].Value.Uint64()
	if cycles != c.cycles {
		c.cycles, c.collected = cycles, now
	}
	percent := c.growth(live, now.Sub(c.collected) < idleAfter)
	if percent != c.percent { // setting it stops the process for a moment
		c.percent = percent
		debug.SetGCPercent(percent)
	}
}

// growth returns by how many percent of the live heap the heap may grow.
func (c *collector) growth(live uint64, busy bool) int {
	if live == 0 {
		return idlePercent // no collection so far
	}
	most := idlePercent
	if busy {
		most = busyPercent
	}
	byRoom := max(percentOf(live, c.room-min(c.room, live)), leastByRoom)
	byGarbage := max(percentOf(live, c.garbage), leastByGarbage)
	return min(byRoom, byGarbage, most)
}

// percentOf returns how many percent of the live heap some bytes are. It rounds down, because each change of the
// percentage stops the process.
func percentOf(live, bytes uint64) int {
	percent := int(min(bytes*100/live, busyPercent))
	if percent < idlePercent {
		return percent / 5 * 5
	}
	return percent / 50 * 50
}
