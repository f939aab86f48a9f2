package correlationindexextension

import (
	cryptorand "crypto/rand"
	"encoding/binary"
	"time"
)

const (
	// shardBytes is what a shard takes. Entries of its table can count its slots.
	shardBytes = 1 << 20
	// minShards keeps small indexes from having one lock for all.
	minShards = 16
	// A table is at most 3/4 full.
	loadOver, loadUnder = 3, 4
)

// allocate makes the shards, which grow with what they hold.
func (m *memory) allocate() {
	count := max(m.config.MaxMemoryMib, minShards)
	most := slotsIn(m.config.MaxMemoryMib * shardBytes / count)
	slots := min(firstSlots, most)
	m.shards = make([]shard, count)
	window := uint32((m.config.Window + tick - 1) / tick)
	for i := range m.shards {
		m.shards[i] = shard{
			ring:   ring{slots: make([]slot, slots)},
			table:  table{make([]uint32, entriesFor(slots))},
			window: window,
			most:   uint32(most),
			// The first snapshot has all parts.
			changed: true,
		}
	}
	m.origin = time.Now()
	m.seed = randomSeed()
}

// slotsIn is how many slots have room in a shard, with their table, each in whole pages
// of Go's heap.
func slotsIn(bytes int) int {
	slots := (bytes - entrySize) * loadOver / (loadOver*slotSize + loadUnder*entrySize)
	for inPages(slots*slotSize)+inPages(entriesFor(slots)*entrySize) > bytes {
		slots--
	}
	return slots
}

const pageBytes = 8 << 10

func inPages(bytes int) int { return (bytes + pageBytes - 1) / pageBytes * pageBytes }

const entrySize = 4

func entriesFor(slots int) int { return slots*loadUnder/loadOver + 1 }

func randomSeed() uint64 {
	var seed [8]byte
	cryptorand.Read(seed[:]) // never fails
	return binary.LittleEndian.Uint64(seed[:])
}

// tick is the unit of arrivals. Their 32 bits wrap after two years.
const tick = time.Second / 64

// ticks is now. It begins a window after 0, so that what a snapshot holds has arrived
// after 0.
func (m *memory) ticks() uint64 {
	return uint64((time.Since(m.origin) + m.config.Window + tick) / tick)
}
