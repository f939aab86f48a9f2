// SPDX-License-Identifier: Apache-2.0

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
	// MediumExactUpTo is the number of hashes up to which a Medium is exact.
	MediumExactUpTo = 64
)

// Small counts distinct hashes like Counter, in less than 0.4 KiB: exactly up to SmallExactUpTo. The zero
// Small is empty.
type Small struct{ list }

// Add adds a hash. Its bits must be evenly distributed.
func (s *Small) Add(hash uint64) { s.add(hash, SmallExactUpTo, smallPrecision, always) }

// Medium counts distinct hashes with the error of Counter: exactly up to MediumExactUpTo in as little memory as
// they need, above that in 2 KiB. The zero Medium is empty.
type Medium struct{ list }

// Add adds a hash. Its bits must be evenly distributed. room reports whether there is memory for a sketch; without
// one the count is not known any more.
func (m *Medium) Add(hash uint64, room func() bool) { m.add(hash, MediumExactUpTo, precision, room) }

// Clone returns a copy, which needs room for a sketch if this one has one.
func (m *Medium) Clone(room func() bool) (c Medium) {
	switch {
	case m.sketch == nil:
		c.exact, c.full = slices.Clone(m.exact), m.full
	case room():
		c.sketch = m.sketch.Clone()
	default:
		c.full = true
	}
	return c
}

// Minus returns a copy whose hashes are less by a number, or false if there are too many to know them.
func (m *Medium) Minus(number uint64) (c Medium, ok bool) {
	if m.sketch != nil || m.full {
		return Medium{}, false
	}
	c.exact = make([]uint64, len(m.exact))
	for i, hash := range m.exact {
		c.exact[i] = hash - number
	}
	slices.Sort(c.exact)
	c.exact = slices.Compact(c.exact)
	return c, true
}

// Sketched reports whether the Medium has a sketch.
func (m *Medium) Sketched() bool { return m.sketch != nil }

// Full reports whether there were more hashes than are counted, because there was no room for a sketch.
func (m *Medium) Full() bool { return m.full }

func always() bool { return true }

// list counts distinct hashes exactly while they are few, and with a sketch of 2^bits registers when they are more.
type list struct {
	exact  []uint64
	full   bool // there are too many for exact, and no room for a sketch
	sketch *hyperloglog.Sketch
}

func (l *list) add(hash uint64, most int, bits uint8, room func() bool) {
	switch {
	case l.full: // it stays so, also if there is room later
	case l.sketch != nil:
		l.sketch.InsertHash(hash)
	case slices.Contains(l.exact, hash):
	case len(l.exact) < most:
		l.exact = append(l.exact, hash)
	case !room():
		l.full, l.exact = true, nil
	default:
		l.sketch, _ = hyperloglog.NewSketch(bits, false) // the error means an invalid precision
		for _, h := range append(l.exact, hash) {
			l.sketch.InsertHash(h)
		}
		l.exact = nil
	}
}

// Estimate returns the number of distinct hashes, and whether it is exact. It is 0 if it is not known.
func (l *list) Estimate() (n int, exact bool) {
	if l.sketch == nil {
		return len(l.exact), !l.full
	}
	return int(l.sketch.Estimate()), false
}
