package aggregate

import (
	"math"
	"math/bits"
)

// totals is what histograms of both kinds measure apart from buckets. A sum that
// is missing is 0.
type totals struct {
	present                bool // anything was read, if only a count of 0
	count                  uint64
	sum, min, max          float64
	hasSum, hasMin, hasMax bool
}

type point interface {
	Count() uint64
	Sum() float64
	HasSum() bool
	Min() float64
	HasMin() bool
	Max() float64
	HasMax() bool
	SetCount(uint64)
	SetSum(float64)
	RemoveSum()
	SetMin(float64)
	RemoveMin()
	SetMax(float64)
	RemoveMax()
}

// readTotals refuses nothing: a sum that is no number counts as missing, and so
// do min and max when they are not the least and the greatest of anything.
func readTotals[P point](t *totals, dp P) {
	*t = totals{present: true, count: dp.Count()}
	if dp.HasSum() {
		t.setSum(dp.Sum())
	}
	if t.count == 0 {
		return
	}
	if low := dp.Min(); dp.HasMin() && !math.IsNaN(low) {
		t.min, t.hasMin = low, true
	}
	if high := dp.Max(); dp.HasMax() && !math.IsNaN(high) {
		t.max, t.hasMax = high, true
	}
	if t.hasMin && t.hasMax && t.min > t.max {
		t.dropMinMax()
	}
}

func writeTotals[P point](t *totals, dp P) {
	dp.SetCount(t.count)
	if t.hasSum {
		dp.SetSum(t.sum)
	} else {
		dp.RemoveSum()
	}
	if t.hasMin {
		dp.SetMin(t.min)
	} else {
		dp.RemoveMin()
	}
	if t.hasMax {
		dp.SetMax(t.max)
	} else {
		dp.RemoveMax()
	}
}

// setSum also drops a sum that has become infinite by adding.
func (t *totals) setSum(sum float64) {
	t.sum, t.hasSum = sum, true
	if math.IsNaN(sum) || math.IsInf(sum, 0) {
		t.dropSum()
	}
}

func (t *totals) dropSum() { t.sum, t.hasSum = 0, false }

func (t *totals) dropMinMax() { t.min, t.max, t.hasMin, t.hasMax = 0, 0, false, false }

// fits tells whether the counts of t and o can be added. Nobody measures 2^64
// times, so where they cannot, one of them is not true. Adding such a point is
// refused whole: a count that wrapped would look like a reset, and one that was
// clipped would not agree with its buckets. Buckets need no check of their own,
// because none is above the count.
func (t *totals) fits(o *totals) bool {
	_, carry := bits.Add64(t.count, o.count, 0)
	return carry == 0
}

// add merges o in. Whoever measured nothing has no say in whether sum, min and
// max are known.
func (t *totals) add(o *totals) {
	sum := t.sum + o.sum
	switch {
	case o.count == 0:
		t.hasSum = t.hasSum || t.count == 0 && o.hasSum
	case t.count == 0:
		t.hasSum = o.hasSum
		t.min, t.hasMin, t.max, t.hasMax = o.min, o.hasMin, o.max, o.hasMax
	default:
		t.hasSum = t.hasSum && o.hasSum
		t.min, t.hasMin = min(t.min, o.min), t.hasMin && o.hasMin
		t.max, t.hasMax = max(t.max, o.max), t.hasMax && o.hasMax
		if !t.hasMin {
			t.min = 0
		}
		if !t.hasMax {
			t.max = 0
		}
	}
	if t.hasSum {
		t.setSum(sum)
	} else {
		t.dropSum()
	}
	t.count += o.count
}

// sub takes away what was measured until prev; the caller has seen that counts
// did not decrease. The least and the greatest value since then are not known.
func (t *totals) sub(prev *totals) {
	t.dropMinMax()
	if !prev.present {
		return
	}
	t.count -= prev.count
	if t.hasSum && (prev.hasSum || prev.count == 0) {
		t.setSum(t.sum - prev.sum)
	} else {
		t.dropSum()
	}
}
