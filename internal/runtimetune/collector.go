// SPDX-License-Identifier: Apache-2.0

package runtimetune

import (
	"context"
	"fmt"
	"math"
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
	// garbageVariable sets the size, in MiB, up to which garbage may let the heap grow: with more requests in flight
	// there is less garbage.
	garbageVariable = "OTELCOL_TC_GARBAGE"
	// defaultGarbage and mostGarbage are values of garbageVariable. At full speed agents and gateways reach it.
	defaultGarbage = 96
	mostGarbage    = 1 << 20
	lookEvery      = time.Second
)

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
	c := newCollector(roomRatio*float64(memory), float64(garbage))
	afterCollections(ctx, func() { c.look(time.Now()) })
	go periodic.Run(ctx, lookEvery, func(now time.Time) {
		if c.look(now) {
			debug.FreeOSMemory()
		}
	})
}

// afterCollections calls f after each collection until the context ends. When the live heap has grown, the percentage
// from before allows too much garbage.
func afterCollections(ctx context.Context, f func()) {
	// Nothing refers to it, so the next collection runs the cleanup. Go allocates smaller objects together with others,
	// which may be referred to.
	held := new([64]byte)
	runtime.AddCleanup(held, func(ctx context.Context) {
		if ctx.Err() == nil {
			f()
			afterCollections(ctx, f)
		}
	}, ctx)
}

// collector sets how much the heap may grow between two runs of Go's garbage collector. It is safe for concurrent use.
type collector struct {
	mu      sync.Mutex // guards all below
	samples []metrics.Sample
	room    room
	percent int // the value that is set; 0 before the first collection
}

func newCollector(heap, garbage float64) *collector {
	c := &collector{room: room{heap: heap, garbage: garbage}}
	for _, name := range usageNames {
		c.samples = append(c.samples, metrics.Sample{Name: name})
	}
	return c
}

// look adjusts the collector to the current load. It reports whether memory is to be released.
func (c *collector) look(now time.Time) (release bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	u := c.usage()
	garbage := c.room.look(now, u)
	if u.live == 0 {
		return false // no collection so far
	}
	percent := int(100 * garbage / u.live)
	// Setting it stops the process for a moment.
	if math.Abs(float64(percent-c.percent)) > float64(c.percent)/8 {
		c.percent = percent
		debug.SetGCPercent(percent)
	}
	return c.room.release(garbage)
}

// usageNames are what usage reads, in its order.
var usageNames = []string{
	"/gc/cycles/total:gc-cycles", "/cpu/classes/gc/total:cpu-seconds",
	"/cpu/classes/total:cpu-seconds", "/cpu/classes/idle:cpu-seconds",
	"/gc/heap/allocs:bytes", "/gc/heap/live:bytes",
	"/memory/classes/heap/objects:bytes", "/memory/classes/heap/unused:bytes", "/memory/classes/heap/free:bytes",
}

// usage reads the runtime's metrics. The caller holds mu.
func (c *collector) usage() usage {
	metrics.Read(c.samples)
	bytes := func(i int) float64 { return float64(c.samples[i].Value.Uint64()) }
	seconds := func(i int) float64 { return c.samples[i].Value.Float64() }
	return usage{
		collections: c.samples[0].Value.Uint64(), collecting: seconds(1), busy: seconds(2) - seconds(3),
		allocated: bytes(4), live: bytes(5), retained: bytes(6) + bytes(7) + bytes(8),
	}
}
