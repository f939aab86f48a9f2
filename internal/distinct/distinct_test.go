// SPDX-License-Identifier: Apache-2.0

package distinct

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestCounter(t *testing.T) {
	for _, n := range []int{0, 1, ExactUpTo, ExactUpTo + 1, 2000, 5000, 100_000, 1_000_000} {
		var c Counter
		rng := rand.New(rand.NewPCG(uint64(n), 7))
		for i := range n {
			hash := rng.Uint64()
			first := c.Add(hash)
			if first != (i <= ExactUpTo) || c.Add(hash) {
				require.Fail(t, "first", "%d of %d", i, n)
			}
		}
		got, exact := c.Estimate()
		assert.Equal(t, n <= ExactUpTo, exact)
		if exact {
			assert.Equal(t, n, got)
		}
		assert.InDelta(t, n, got, 4*0.023*float64(n))
	}
}

func TestSmall(t *testing.T) {
	for _, n := range []int{0, 1, SmallExactUpTo, SmallExactUpTo + 1, 100, 1000, 100_000} {
		var s Small
		rng := rand.New(rand.NewPCG(uint64(n), 7))
		for range n {
			hash := rng.Uint64()
			s.Add(hash)
			s.Add(hash)
		}
		got, exact := s.Estimate()
		assert.Equal(t, n <= SmallExactUpTo, exact)
		if exact {
			assert.Equal(t, n, got)
		}
		assert.InDelta(t, n, got, 4*0.065*float64(n))
	}
}

func TestMedium(t *testing.T) {
	for _, n := range []int{0, 1, MediumExactUpTo, MediumExactUpTo + 1, 500, 5000, 100_000} {
		var m Medium
		rng := rand.New(rand.NewPCG(uint64(n), 7))
		for range n {
			hash := rng.Uint64()
			m.Add(hash, always)
			m.Add(hash, always)
		}
		got, exact := m.Estimate()
		assert.Equal(t, n <= MediumExactUpTo, exact)
		assert.Equal(t, n > MediumExactUpTo, m.Sketched())
		if exact {
			assert.Equal(t, n, got)
		}
		assert.InDelta(t, n, got, 4*0.023*float64(n))
	}
}

// A Medium without room for a sketch says that its count is not exact.
func TestMediumWithoutRoom(t *testing.T) {
	var m Medium
	for hash := range uint64(1000) {
		m.Add(hash, func() bool { return false })
	}
	got, exact := m.Estimate()
	assert.Zero(t, got)
	assert.False(t, exact)
	assert.False(t, m.Sketched())
	assert.True(t, m.Full())
}

func BenchmarkAdd(b *testing.B) {
	var c Counter
	rng := rand.New(rand.NewPCG(1, 7))
	b.ReportAllocs()
	for b.Loop() {
		c.Add(rng.Uint64())
	}
}

func BenchmarkEstimate(b *testing.B) {
	var c Counter
	rng := rand.New(rand.NewPCG(1, 7))
	for range 10_000 {
		c.Add(rng.Uint64())
	}
	b.ReportAllocs()
	for b.Loop() {
		c.Estimate()
	}
}

// TestMediumCopies checks that copies count on, and do not change what they were made of.
func TestMediumCopies(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 7))
	for _, n := range []int{0, 10, MediumExactUpTo, 1000} {
		var m Medium
		var hashes []uint64
		for range n {
			hashes = append(hashes, rng.Uint64())
			m.Add(hashes[len(hashes)-1], always)
		}
		want, exact := m.Estimate()
		c := m.Clone(always)
		less, ok := m.Minus(7)
		require.Equal(t, exact, ok)
		for _, hash := range hashes {
			c.Add(hash, always)
			if ok {
				less.Add(hash-7, always)
			}
		}
		got, _ := c.Estimate()
		assert.Equal(t, want, got)
		if ok {
			got, _ = less.Estimate()
			assert.Equal(t, want, got)
		}
		for range 1000 {
			c.Add(rng.Uint64(), always)
		}
		got, _ = m.Estimate()
		assert.Equal(t, want, got)
		full := m.Clone(func() bool { return false })
		assert.Equal(t, !exact, full.Full())
	}
}
