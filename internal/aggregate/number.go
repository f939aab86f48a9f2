// SPDX-License-Identifier: Apache-2.0

package aggregate

import (
	"math"

	"go.opentelemetry.io/collector/pdata/pmetric"
)

// Number is the value of a data point of a sum or a gauge. The zero value is the integer 0.
type Number struct {
	Bits   uint64 // of an int64 or a float64
	Double bool
	// Overflowed reports whether a sum of integers became a floating-point number, or a sum of
	// floating-point numbers exceeded the greatest finite one. Only a new value clears it.
	Overflowed bool
}

// Read sets n to the point's value. It returns false for a value that cannot be summed, such as
// NaN.
func (n *Number) Read(dp pmetric.NumberDataPoint) bool {
	switch dp.ValueType() {
	case pmetric.NumberDataPointValueTypeInt:
		*n = Int(dp.IntValue())
		return true
	case pmetric.NumberDataPointValueTypeDouble:
		*n = Double(dp.DoubleValue())
		return n.Finite()
	default:
		return false
	}
}

// Finite reports whether n is neither NaN nor infinite, so that it can be added.
func (n *Number) Finite() bool {
	return !n.Double || !math.IsNaN(n.Float()) && !math.IsInf(n.Float(), 0)
}

// Int returns v as a Number.
func Int(v int64) Number { return Number{Bits: uint64(v)} }

// Double returns v as a Number.
func Double(v float64) Number { return Number{Bits: math.Float64bits(v), Double: true} }

// Write sets the point's value to n.
func (n *Number) Write(dp pmetric.NumberDataPoint) {
	if n.Double {
		dp.SetDoubleValue(n.Float())
	} else {
		dp.SetIntValue(int64(n.Bits))
	}
}

// Float returns the value as a float64.
func (n *Number) Float() float64 {
	if n.Double {
		return math.Float64frombits(n.Bits)
	}
	return float64(int64(n.Bits))
}

// Set makes n a copy of o.
func (n *Number) Set(o *Number) { *n = *o }

// Add adds o. The result is a float64 if n or o is one, or if the sum of two integers exceeds
// 64 bits.
func (n *Number) Add(o *Number) {
	if !n.Double && !o.Double {
		a, b := int64(n.Bits), int64(o.Bits)
		sum := a + b
		if (a^sum)&(b^sum) >= 0 {
			n.Bits = uint64(sum)
			return
		}
		n.Overflowed = true
	}
	n.set(n.Float() + o.Float())
}

// set stores a floating-point number, at most the greatest finite one: nothing can be added to
// infinity.
func (n *Number) set(v float64) {
	if math.IsInf(v, 0) {
		v, n.Overflowed = math.Copysign(math.MaxFloat64, v), true
	}
	n.Bits, n.Double = math.Float64bits(v), true
}

// Sub turns n, a later value of a cumulative monotonic sum, into the increment since prev. It
// returns true and leaves n when the value decreased: that is a reset, and n is the increment
// since then.
func (n *Number) Sub(prev *Number) (reset bool) {
	if n.Less(prev) {
		return true
	}
	if !n.Double && !prev.Double {
		a, b := int64(n.Bits), int64(prev.Bits)
		difference := a - b
		if (a^b)&(a^difference) >= 0 {
			n.Bits = uint64(difference)
			return false
		}
		n.Overflowed = true
	}
	n.set(n.Float() - prev.Float())
	return false
}

// Less reports whether n is less than o.
func (n *Number) Less(o *Number) bool {
	if !n.Double && !o.Double {
		return int64(n.Bits) < int64(o.Bits)
	}
	return n.Float() < o.Float()
}

// Reset sets n to the zero value.
func (n *Number) Reset() { *n = Number{} }

// Bytes returns the heap memory that n holds, in bytes: none.
func (n *Number) Bytes() int { return 0 }

// Shrink does nothing: a Number takes no heap memory.
func (n *Number) Shrink(int) {}
