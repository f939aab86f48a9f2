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

// allocate makes the shards. The system gives pages that nobody has touched only when
// somebody does.
func (m *memory) allocate() {
	count := max(m.config.MaxMemoryMib, minShards)
	slots := slotsIn(m.config.MaxMemoryMib * shardBytes / count)
	entries := entriesFor(slots)
	m.shards = make([]shard, count)
	slab := make([]slot, count*slots)
	tables := make([]uint32, count*entries)
	window := uint32((m.config.Window + tick - 1) / tick)
	for i := range m.shards {
		m.shards[i] = shard{
			ring:   ring{slots: slab[i*slots : (i+1)*slots]},
			table:  table{tables[i*entries : (i+1)*entries]},
			window: window,
			// The first snapshot has all parts.
			changed: true,
		}
	}
	m.origin = time.Now()
	m.seed = randomSeed()
}

// slotsIn is how many slots have room in a shard, with their table.
func slotsIn(bytes int) int {
	return (bytes - entrySize) * loadOver / (loadOver*slotSize + loadUnder*entrySize)
}

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
