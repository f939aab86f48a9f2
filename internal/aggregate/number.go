package aggregate

import (
	"math"

	"go.opentelemetry.io/collector/pdata/pmetric"
)

// Number is the value of a sum's or a gauge's data point. The zero value is
// nothing measured: the integer 0.
type Number struct {
	Bits   uint64 // of an int64, or of a float64
	Double bool
	// Overflowed is set for good once a sum of integers had to become floating point,
	// or one of floating point had no room.
	Overflowed bool
}

// Read takes a point's value. A value that no sum can hold, such as NaN, is
// malformed.
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

// Finite tells whether it is a number that can be added to.
func (n *Number) Finite() bool {
	return !n.Double || !math.IsNaN(n.Float()) && !math.IsInf(n.Float(), 0)
}

// Int is an integer.
func Int(v int64) Number { return Number{Bits: uint64(v)} }

// Double is a floating-point number.
func Double(v float64) Number { return Number{Bits: math.Float64bits(v), Double: true} }

// Write sets a point's value.
func (n *Number) Write(dp pmetric.NumberDataPoint) {
	if n.Double {
		dp.SetDoubleValue(n.Float())
	} else {
		dp.SetIntValue(int64(n.Bits))
	}
}

// Float is the value as floating point.
func (n *Number) Float() float64 {
	if n.Double {
		return math.Float64frombits(n.Bits)
	}
	return float64(int64(n.Bits))
}

// Set makes it the same as another.
func (n *Number) Set(o *Number) { *n = *o }

// Add adds another. An integer and a double give a double; so do integers whose
// sum has no room in 64 bits.
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

// set makes it floating point, which ends at the greatest that is finite: nothing
// can be added to infinity.
func (n *Number) set(v float64) {
	if math.IsInf(v, 0) {
		v, n.Overflowed = math.Copysign(math.MaxFloat64, v), true
	}
	n.Bits, n.Double = math.Float64bits(v), true
}

// Remove takes away what was added before.
func (n *Number) Remove(o *Number) {
	if o.Double {
		n.Add(&Number{Bits: math.Float64bits(-o.Float()), Double: true})
		return
	}
	if v := int64(o.Bits); v != math.MinInt64 {
		n.Add(&Number{Bits: uint64(-v)})
		return
	}
	n.set(n.Float() - o.Float())
}

// Sub makes a value of a monotonic sum what was added since an earlier one.
// A decrease is a reset: all of it was added since.
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

// Less orders numbers by value.
func (n *Number) Less(o *Number) bool {
	if !n.Double && !o.Double {
		return int64(n.Bits) < int64(o.Bits)
	}
	return n.Float() < o.Float()
}

// Reset makes it nothing measured.
func (n *Number) Reset() { *n = Number{} }

// Bytes is the memory that it holds elsewhere: none.
func (n *Number) Bytes() int { return 0 }
