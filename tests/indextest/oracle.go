// SPDX-License-Identifier: Apache-2.0

package indextest

import (
	"cmp"
	"slices"
	"time"

	"github.com/otelcol-tc/otelcol-tc/internal/correlation"
)

// Oracle is an index that is simple enough to be right: a list of all members.
type Oracle struct {
	Window   time.Duration
	Capacity int // in bytes; 0 has no bound
	Evicted  uint64
	Poisoned int64

	records []record
	count   correlation.Order // of all events
}

type record struct {
	key     correlation.Key
	member  correlation.Member
	arrival time.Duration
	poisons bool // the record has no member
}

// Do makes a request.
func (o *Oracle) Do(v correlation.Request, now time.Duration) (r correlation.Result) {
	o.count++
	r.Came, r.Decided = o.count, o.count
	self := -1
	for i, rec := range o.records {
		switch {
		case rec.key != v.Key || !o.lives(rec, now):
		case rec.poisons:
			return correlation.Result{Poisoned: true}
		case v.Op != correlation.Look && rec.member.Is(&v.Member):
			self = i
		default:
			r.Members = append(r.Members, rec.member)
		}
	}
	if self >= 0 {
		m := &o.records[self].member
		if v.Op == correlation.Release && m.Held {
			m.Held, m.Decided = false, o.count
		}
		r.Came, r.Decided = m.Came, m.Decided
		return r
	}
	if v.Op == correlation.Join {
		if len(r.Members) >= v.Limit {
			o.poison(v.Key, now)
			return correlation.Result{Poisoned: true}
		}
		if v.Member.Held {
			r.Decided = correlation.Undecided
		}
		m := Kept(v.Member)
		m.Came, m.Decided = r.Came, r.Decided
		o.insert(record{key: v.Key, member: m, arrival: now}, now)
	}
	return r
}

func (o *Oracle) lives(r record, now time.Duration) bool { return now-r.arrival <= o.Window }

// poison leaves the members where they are: no request finds them, but they take room.
func (o *Oracle) poison(key correlation.Key, now time.Duration) {
	for i := range o.records {
		if o.records[i].key == key {
			o.records[i].key = correlation.Key{}
		}
	}
	o.insert(record{key: key, arrival: now, poisons: true}, now)
	o.Poisoned++
}

func (o *Oracle) insert(r record, now time.Duration) {
	if o.Capacity > 0 {
		for range 4 {
			if len(o.records) > 0 && !o.lives(o.records[0], now) {
				o.pop(now)
			}
		}
		for o.Used()+r.size() > o.Capacity {
			o.pop(now)
		}
	}
	o.records = append(o.records, r)
}

func (o *Oracle) pop(now time.Duration) {
	first := o.records[0]
	o.records = o.records[1:]
	if o.lives(first, now) && !first.poisons && first.key != (correlation.Key{}) {
		o.Evicted++
	}
}

// Members returns how many members live.
func (o *Oracle) Members(now time.Duration) (members int64) {
	for _, r := range o.records {
		if o.lives(r, now) && !r.poisons && r.key != (correlation.Key{}) {
			members++
		}
	}
	return members
}

// Used returns how many bytes are in use.
func (o *Oracle) Used() (used int) {
	for _, r := range o.records {
		used += r.size()
	}
	return used
}

func (r record) size() int {
	if r.member.TraceState == "" {
		return 106
	}
	return 166 + len(r.member.TraceState)
}

// Ranked returns a result with ranks in place of orders, for only ranks compare.
func Ranked(r correlation.Result) correlation.Result {
	var orders []*correlation.Order
	add := func(order *correlation.Order) {
		if *order != correlation.Undecided {
			orders = append(orders, order)
		}
	}
	if !r.Poisoned {
		add(&r.Came)
		add(&r.Decided)
	}
	r.Members = append([]correlation.Member(nil), r.Members...)
	for i := range r.Members {
		add(&r.Members[i].Came)
		add(&r.Members[i].Decided)
	}
	slices.SortFunc(orders, func(a, b *correlation.Order) int { return cmp.Compare(*a, *b) })
	rank, last := correlation.Order(0), correlation.Order(0)
	for _, order := range orders {
		if rank == 0 || *order != last {
			rank++
		}
		last, *order = *order, rank
	}
	return r
}

// Kept returns what an index keeps of a member.
func Kept(m correlation.Member) correlation.Member {
	if len(m.TraceState) > correlation.MaxTraceState {
		m.TraceState = ""
	}
	return m
}
