// SPDX-License-Identifier: Apache-2.0

package series

import (
	"sync"
	"sync/atomic"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-tc/otelcol-tc/internal/attrhash"
	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor/internal/plan"
)

// Memory is the budget of all series together. It is safe for concurrent use.
type Memory struct {
	Limit int64 // bytes
	// Reserve is memory beyond the limit, for the outputs of what does not fit into it.
	Reserve int64
	Used    atomic.Int64
	crowd   atomic.Int64 // of the services past maxServices
}

// maxServices is the number of services that share the memory by the rule of fairShare alone.
// All further ones together get at most half of it: a sender with random service names must not
// take it from those that are known.
const maxServices = 1 << 10

// reserveShare divides the memory to get the reserve.
const reserveShare = 8

// fairShare bounds the memory of one service to a multiple of the free memory. A single
// service gets at most four fifths, so a new service always finds memory. Switches share a
// buffer between ports by such a dynamic threshold (Choudhury and Hahne, 1998).
const fairShare = 4

// service counts what one service, with all its resources, uses of the budgets. It is safe
// for concurrent use.
type service struct {
	store   *Store
	id      attrhash.Hash
	name    string
	crowd   bool // it is past maxServices
	metrics int  // guarded by the store's map of services
	series  atomic.Int64
	streams atomic.Int64
	used    atomic.Int64 // bytes
	charged atomic.Bool  // the memory of the service itself is charged
	// overflows is the number of metrics with overflow series of the service.
	overflows atomic.Int64
	missed    atomic.Uint32 // as Metric.missed, of points that were sent as they came

	mu     sync.Mutex
	values []table // the known values, by the index of the limited attribute
}

// reserveSeries counts one more series if service_limit allows.
func (s *service) reserveSeries() bool {
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

// reserve charges memory if the service's share allows.
func (s *service) reserve(bytes int) bool { return s.reserveOf(s.store.Memory.Limit, bytes) }

// reserveOutput charges memory for the output of what reserve refused.
func (s *service) reserveOutput(bytes int) bool {
	return s.reserveOf(s.store.Memory.Limit+s.store.Memory.Reserve, bytes)
}

func (s *service) reserveOf(limit int64, bytes int) bool {
	s.charge(bytes)
	memory := &s.store.Memory
	left := limit - memory.Used.Load()
	if left < 0 || s.used.Load() > fairShare*left || s.crowd && memory.crowd.Load() > limit/2 {
		s.release(bytes)
		return false
	}
	return true
}

// charge charges memory even if none is free.
func (s *service) charge(bytes int) {
	s.used.Add(int64(bytes))
	s.store.Memory.Used.Add(int64(bytes))
	if s.crowd {
		s.store.Memory.crowd.Add(int64(bytes))
	}
}

// release releases memory.
func (s *service) release(bytes int) { s.charge(-bytes) }

// admit counts a new series and charges its memory and that of its metric, or returns the
// budget that refuses it.
func (s *service) admit(metric int) (full Rule, ok bool) {
	if !s.reserveSeries() {
		return RuleServiceLimit, false
	}
	if !s.reserve(seriesBytes + metric) {
		s.series.Add(-1)
		return RuleMemory, false
	}
	if metric != 0 {
		s.chargeMetric(0)
	}
	return 0, true
}

// chargeMetric charges the memory of a metric, and that of the service with its first one.
func (s *service) chargeMetric(bytes int) {
	if s.charged.CompareAndSwap(false, true) {
		bytes += serviceBytes
	}
	s.charge(bytes)
}

// releaseSeries subtracts removed series and releases their memory.
func (s *service) releaseSeries(series int) {
	s.series.Add(-int64(series))
	s.release(series * seriesBytes)
}

// The memory of table entries includes the tables' unused slots.
const (
	seriesBytes  = 43
	valueBytes   = 43
	metricBytes  = 320
	serviceBytes = 768
)

// limitValues returns the limited attributes of a point whose values must be replaced. It
// renews known values, and adds new ones as far as their limits allow.
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
			e.Seen = epoch
		} else if known.count < limited.Limit && s.reserve(valueBytes) {
			known.put(key, epoch, 0)
		} else if !plan.IsOther(value) {
			replaced |= 1 << i
		}
	}
	return replaced
}

// touchValues renews the limited values of a known stream, so that they do not expire.
func (s *service) touchValues(epoch uint32, attrs pcommon.Map, keys *plan.Keys, replaced plan.Replaced) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, limited := range keys.Limited {
		value, ok := attrs.Get(limited.Key)
		if !ok || replaced&(1<<i) != 0 || s.values == nil {
			continue
		}
		if e := s.values[i].get(attrhash.Value(s.store.Seed, value).Lo); e != nil {
			e.Seen = epoch
		}
	}
}

// expireValues removes the values that no point had since an epoch.
func (s *service) expireValues(oldest uint32) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.values {
		values := &s.values[i]
		before := values.count
		values.keep(func(e *entry) bool { return e.Seen >= oldest })
		s.release((before - values.count) * valueBytes)
	}
}
