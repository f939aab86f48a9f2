package distinct

import (
	"slices"

	"github.com/axiomhq/hyperloglog"
)

const (
	// SmallExactUpTo is the number of hashes up to which a Small is exact.
	SmallExactUpTo = 32
	// smallPrecision gives 2^8 registers of one byte, with a standard error of 6.5 %.
	smallPrecision = 8
)

// Small counts distinct hashes like Counter, in less than 0.4 KiB: exactly up to SmallExactUpTo. The zero
// Small is empty.
type Small struct {
	exact  []uint64
	sketch *hyperloglog.Sketch
}

// Add adds a hash. Its bits must be evenly distributed.
func (s *Small) Add(hash uint64) {
	switch {
	case s.sketch != nil:
		s.sketch.InsertHash(hash)
	case slices.Contains(s.exact, hash):
	case len(s.exact) < SmallExactUpTo:
		s.exact = append(s.exact, hash)
	default:
		s.sketch, _ = hyperloglog.NewSketch(smallPrecision, false) // the error means an invalid precision
		for _, h := range append(s.exact, hash) {
			s.sketch.InsertHash(h)
		}
		s.exact = nil
	}
}

// Estimate returns the number of distinct hashes, and whether it is exact.
func (s *Small) Estimate() (n int, exact bool) {
	if s.sketch == nil {
		return len(s.exact), true
	}
	return int(s.sketch.Estimate()), false
}
