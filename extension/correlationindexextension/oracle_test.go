package correlationindexextension

import (
	"cmp"
	"slices"
	"time"

	"github.com/otelcol-tc/otelcol-tc/internal/correlation"
)

// oracle is an index that can be seen to be right: a list of all that came.
type oracle struct {
	window   time.Duration
	capacity uint32 // in slots; 0 has no bound
	records  []oracleRecord
	count    correlation.Order // of what has happened
	evicted  uint64
	poisoned int64
}

type oracleRecord struct {
	key     correlation.Key
	member  correlation.Member
	arrival time.Duration
	mark    bool // says that the key is poisoned
}

func (o *oracle) visit(v correlation.Visit, now time.Duration) (r correlation.Result) {
	o.count++
	r.Came, r.Decided = o.count, o.count
	self := -1
	for i, record := range o.records {
		switch {
		case record.key != v.Key || !o.lives(record, now):
		case record.mark:
			return correlation.Result{Poisoned: true}
		case v.Op != correlation.Look && record.member.Is(&v.Member):
			self = i
		default:
			r.Members = append(r.Members, record.member)
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
		m := kept(v.Member)
		m.Came, m.Decided = r.Came, r.Decided
		o.insert(oracleRecord{key: v.Key, member: m, arrival: now}, now)
	}
	return r
}

func (o *oracle) lives(r oracleRecord, now time.Duration) bool { return now-r.arrival <= o.window }

// poison leaves the members where they are: nobody finds them, but they take room.
func (o *oracle) poison(key correlation.Key, now time.Duration) {
	for i := range o.records {
		if o.records[i].key == key {
			o.records[i].key = correlation.Key{}
		}
	}
	o.insert(oracleRecord{key: key, arrival: now, mark: true}, now)
	o.poisoned++
}

func (o *oracle) insert(r oracleRecord, now time.Duration) {
	if o.capacity > 0 {
		for range expiries {
			if len(o.records) > 0 && !o.lives(o.records[0], now) {
				o.pop(now)
			}
		}
		for o.used()+r.size() > o.capacity {
			o.pop(now)
		}
	}
	o.records = append(o.records, r)
}

func (o *oracle) pop(now time.Duration) {
	first := o.records[0]
	o.records = o.records[1:]
	if o.lives(first, now) && !first.mark && first.key != (correlation.Key{}) {
		o.evicted++
	}
}

func (o *oracle) used() (used uint32) {
	for _, r := range o.records {
		used += r.size()
	}
	return used
}

func (r oracleRecord) size() uint32 {
	return 1 + uint32(len(r.member.TraceState)+71)/72
}

// ranked has the orders of a result as their ranks, for only that counts.
func ranked(r correlation.Result) correlation.Result {
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

// kept is what an index keeps of a member.
func kept(m correlation.Member) correlation.Member {
	if len(m.TraceState) > correlation.MaxTraceState {
		m.TraceState = ""
	}
	m.End = correlation.NewDuration(m.Start, m.End).End(m.Start)
	return m
}
