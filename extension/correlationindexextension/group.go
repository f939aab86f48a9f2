package correlationindexextension

import (
	"slices"

	"github.com/otelcol-tc/otelcol-tc/internal/correlation"
)

// groupSize is how many visits are made together. Nearly all of a visit's time goes into
// waiting for memory, at three places where no other visit has been lately. So visits
// are made shard by shard, and before those of a shard all their places are looked at,
// for which the processor waits but once.
const groupSize = 512

// groupMembers is how many members the results of a group hold at one time, or a shard's
// more. Visits beyond that are made one by one.
const groupMembers = 4096

// group is room for the visits of one group.
type group struct {
	shards  []uint32 // the shard of each visit
	ends    []uint32 // by shard, where its visits end in order
	order   []uint32 // the visits, shard by shard, those of one shard as they came
	results []correlation.Result
	made    []bool
	looked  uint64 // what looks have seen, so that the compiler keeps them
}

// visitGroup makes visits, those of one key in their order. Some may be left.
func (m *memory) visitGroup(visits []correlation.Visit, now uint64, room *scratch) {
	g := &room.group
	g.sort(m, visits)
	room.members = room.members[:0]
	for begin := uint32(0); begin < uint32(len(visits)) && len(room.members) < groupMembers; {
		shard := g.shards[g.order[begin]]
		m.shards[shard].visitAll(visits, g.order[begin:g.ends[shard]], now, room)
		begin = g.ends[shard]
	}
}

// handOn hands on the results of a group in the order of visits, of which it makes those
// that were left.
func (m *memory) handOn(visits []correlation.Visit, first int, now uint64, room *scratch, found func(int, correlation.Result)) {
	g := &room.group
	inUse := len(room.members)
	for i := range g.results {
		if !g.made[i] {
			room.members = room.members[:inUse]
			one := [1]uint32{uint32(i)}
			m.shards[g.shards[i]].visitAll(visits[first:], one[:], now, room)
		}
		found(first+i, g.results[i])
	}
	clear(g.results)
}

// sort sorts visits by shard.
func (g *group) sort(m *memory, visits []correlation.Visit) {
	n := len(visits)
	g.shards, g.order, g.ends = sized(g.shards, n), sized(g.order, n), sized(g.ends, len(m.shards))
	g.results, g.made = sized(g.results, n), sized(g.made, n)
	for i := range visits {
		g.shards[i] = m.shardOf(visits[i].Key)
		g.ends[g.shards[i]]++
	}
	sum := uint32(0)
	for shard, count := range g.ends {
		g.ends[shard] = sum
		sum += count
	}
	for i, shard := range g.shards {
		g.order[g.ends[shard]] = uint32(i)
		g.ends[shard]++
	}
}

// sized returns n zeros.
func sized[T any](s []T, n int) []T {
	s = slices.Grow(s[:0], n)[:n]
	clear(s)
	return s
}

// visitAll makes those of the visits that are of the shard.
func (s *shard) visitAll(visits []correlation.Visit, own []uint32, now uint64, room *scratch) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(own) > 1 {
		room.group.looked += s.look(visits, own)
	}
	for _, i := range own {
		room.group.results[i] = s.visit(&visits[i], now, room)
		room.group.made[i] = true
	}
}

// look looks at the places that visits are going to need: their keys' entries, the slots
// that those name, and, should room have to be made for each, the oldest slots and the entries
// of their keys. Of two halves the second needs what the first has looked at; within one
// no look waits for another.
func (s *shard) look(visits []correlation.Visit, own []uint32) (seen uint64) {
	leave := uint32(0)
	if s.ring.free() <= uint32(len(own)) {
		leave = min(uint32(len(own)), s.ring.used)
	}
	for _, i := range own {
		seen += uint64(s.table.entries[s.table.home(tagOf(visits[i].Key))])
	}
	for n := range leave {
		seen += s.ring.look(s.ring.wrap(s.ring.tail + n))
	}
	for n := range leave {
		oldest := s.ring.slots[s.ring.wrap(s.ring.tail+n)].key()
		seen += uint64(s.table.entries[s.table.home(tagOf(oldest))])
	}
	for _, i := range own {
		if slot := s.table.likely(visits[i].Key); slot != none {
			seen += s.ring.look(slot)
		}
	}
	return seen
}
