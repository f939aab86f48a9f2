package cardinalityprocessor

import (
	"sync"
	"sync/atomic"

	"github.com/otelcol-tc/otelcol-tc/internal/attrhash"
)

// memory is what all series together may take. It is safe for concurrent use.
type memory struct {
	limit int64 // bytes
	used  atomic.Int64
}

// fairShare bounds how much of the memory one service takes: so many times what
// is left for others. A single service gets four fifths of it, and however much
// it wants, there is room for a quiet one. This is the dynamic threshold by which
// switches share a buffer between ports (Choudhury and Hahne, 1998).
const fairShare = 4

// service is what one service takes of the budgets, over all its resources. It is
// safe for concurrent use.
type service struct {
	id       attrhash.Hash
	name     string
	families int   // guarded by the processor's map of services
	limit    int64 // of series; 0 for none
	memory   *memory
	series   atomic.Int64
	streams  atomic.Int64 // that are merged
	used     atomic.Int64 // bytes

	mu     sync.Mutex
	values []table // by the limited attribute's number
}

// takeSeries takes the place of a series, if there is one.
func (s *service) takeSeries() bool {
	for {
		n := s.series.Load()
		if s.limit > 0 && n >= s.limit {
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
	left := s.memory.limit - s.memory.used.Add(int64(bytes))
	if left < 0 || used > fairShare*left {
		s.give(bytes)
		return false
	}
	return true
}

// charge takes memory that cannot be done without.
func (s *service) charge(bytes int) {
	s.used.Add(int64(bytes))
	s.memory.used.Add(int64(bytes))
}

// give returns memory.
func (s *service) give(bytes int) { s.charge(-bytes) }

// admit takes the place and the memory of a series, or says which budget has no
// room for it.
func (s *service) admit() (full rule, ok bool) {
	if !s.takeSeries() {
		return ruleServiceLimit, false
	}
	if !s.take(seriesBytes) {
		s.series.Add(-1)
		return ruleMemory, false
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
	familyBytes  = 1024
	serviceBytes = 512
)
