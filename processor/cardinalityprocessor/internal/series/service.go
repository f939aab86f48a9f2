package series

import (
	"sync"
	"sync/atomic"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-tc/otelcol-tc/internal/attrhash"
	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor/internal/plan"
)

// Memory is what all series together may take. It is safe for concurrent use.
type Memory struct {
	Limit int64 // bytes
	Used  atomic.Int64
}

// fairShare bounds how much of the memory one service takes: so many times what is left. A
// single service gets four fifths of it, and however much it wants, there is room for a
// quiet one. This is the dynamic threshold by which switches share a buffer between ports
// (Choudhury and Hahne, 1998).
const fairShare = 4

// service is what one service takes of the budgets, over all its resources. It is safe for
// concurrent use.
type service struct {
	store   *Store
	id      attrhash.Hash
	name    string
	metrics int // guarded by the store's map of services
	series  atomic.Int64
	streams atomic.Int64 // that are merged
	used    atomic.Int64 // bytes

	mu     sync.Mutex
	values []table // by the limited attribute's number
}

// takeSeries takes the place of a series, if there is one.
func (s *service) takeSeries() bool {
	limit := int64(s.store.ServiceLimit)
	for {
		n := s.series.Load()
		if limit > 0 && n >= limit {
			return false
		}
		if s.series.CompareAndSwap(n, n+1) {
			return true
		}
	}
}

// take takes memory, if there is a fair share of it left.
func (s *service) take(bytes int) bool {
	used := s.used.Add(int64(bytes))
	left := s.store.Memory.Limit - s.store.Memory.Used.Add(int64(bytes))
	if left < 0 || used > fairShare*left {
		s.give(bytes)
		return false
	}
	return true
}

// charge takes memory that cannot be done without.
func (s *service) charge(bytes int) {
	s.used.Add(int64(bytes))
	s.store.Memory.Used.Add(int64(bytes))
}

// give returns memory.
func (s *service) give(bytes int) { s.charge(-bytes) }

// admit takes the place and the memory of a series, or returns the budget that has no room
// for it.
func (s *service) admit() (full Rule, ok bool) {
	if !s.takeSeries() {
		return RuleServiceLimit, false
	}
	if !s.take(seriesBytes) {
		s.series.Add(-1)
		return RuleMemory, false
	}
	return 0, true
}

// leave returns the places and the memory of so many series.
func (s *service) leave(series int) {
	s.series.Add(-int64(series))
	s.give(series * seriesBytes)
}

// What entries take at most, with the room that their tables grow by.
const (
	seriesBytes  = 43
	valueBytes   = 43
	metricBytes  = 1024
	serviceBytes = 512
)

// limitValues finds the attributes of a point whose values are past their limits. Values
// that have a place are touched, and new ones take one that is free.
func (s *service) limitValues(epoch uint32, attrs pcommon.Map, keys *plan.Keys) (replaced plan.Replaced) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.values == nil {
		s.values = make([]table, len(keys.Limited))
	}
	for i, limited := range keys.Limited {
		value, ok := attrs.Get(limited.Key)
		if !ok || keys.Drops(limited.Key) {
			continue
		}
		known := &s.values[i]
		key := attrhash.Value(s.store.Seed, value).Lo
		if e := known.get(key); e != nil {
			e.seen = epoch
		} else if known.count < limited.Limit && s.take(valueBytes) {
			known.put(key, epoch, 0)
		} else if !plan.IsOther(value) {
			replaced |= 1 << i
		}
	}
	return replaced
}

// touchValues keeps the values of a known series in their places.
func (s *service) touchValues(epoch uint32, attrs pcommon.Map, keys *plan.Keys, replaced plan.Replaced) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, limited := range keys.Limited {
		value, ok := attrs.Get(limited.Key)
		if !ok || replaced&(1<<i) != 0 || s.values == nil {
			continue
		}
		if e := s.values[i].get(attrhash.Value(s.store.Seed, value).Lo); e != nil {
			e.seen = epoch
		}
	}
}

// expireValues gives up the values that no point had since an epoch.
func (s *service) expireValues(oldest uint32) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.values {
		values := &s.values[i]
		before := values.count
		values.keep(func(e *entry) bool { return e.seen >= oldest })
		s.give((before - values.count) * valueBytes)
	}
}
