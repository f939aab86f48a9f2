// SPDX-License-Identifier: Apache-2.0

package aggregate

import (
	"math"
	"math/bits"
)

// totals are the fields of a histogram or summary point apart from its buckets or quantiles. A
// missing sum is stored as 0.
type totals struct {
	present                bool // a point was read, even if its count is 0
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

// readTotals accepts every point. A sum that is NaN or infinite counts as missing, and so do a
// NaN minimum or maximum, and a minimum above the maximum.
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

// setSum drops a sum that is NaN, or that became infinite by adding.
func (t *totals) setSum(sum float64) {
	t.sum, t.hasSum = sum, true
	if math.IsNaN(sum) || math.IsInf(sum, 0) {
		t.dropSum()
	}
}

func (t *totals) dropSum() { t.sum, t.hasSum = 0, false }

func (t *totals) dropMinMax() { t.min, t.max, t.hasMin, t.hasMax = 0, 0, false, false }

// fits reports whether the sum of the counts of t and o fits in 64 bits. A sum that does not
// fit means that one of the counts is wrong. Such a point is refused whole: a count that
// wrapped would look like a reset, and a clipped one would not agree with its buckets. Buckets
// need no check of their own, because none exceeds the count.
func (t *totals) fits(o *totals) bool {
	_, carry := bits.Add64(t.count, o.count, 0)
	return carry == 0
}

// add merges o in. Totals with a count of 0 do not decide whether sum, minimum and maximum are
// known.
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

// sub subtracts prev. The caller has checked that no count decreased. The minimum and the
// maximum of the increment are unknown.
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
