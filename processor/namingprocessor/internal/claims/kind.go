// SPDX-License-Identifier: Apache-2.0

package claims

// Kind is the kind of a metric. Metrics of different kinds cannot share a name.
type Kind uint8

// The kinds, by data point type, temporality and monotonicity.
const (
	// KindNone is a metric without data or without points.
	KindNone Kind = iota
	KindGauge
	KindCumulativeCounter
	KindDeltaCounter
	KindCumulativeUpDown
	KindDeltaUpDown
	KindCumulativeHistogram
	KindDeltaHistogram
	KindCumulativeExponential
	KindDeltaExponential
	KindSummary
	// The kinds with unspecified temporality. It is unknown whether two such metrics can be
	// merged.
	KindUnspecifiedCounter
	KindUnspecifiedUpDown
	KindUnspecifiedHistogram
	KindUnspecifiedExponential
)

// Mergeable reports whether two metrics of this kind can become one metric. They need points of
// a known type and, except for gauges and summaries, a known temporality.
func (k Kind) Mergeable() bool { return KindNone < k && k < KindUnspecifiedCounter }

// Additive reports whether values of two metrics of this kind can be added up. Those of gauges
// and summaries cannot.
func (k Kind) Additive() bool { return k != KindGauge && k != KindSummary }

// Convertible reports whether a unit conversion keeps a metric exact. It does not for
// exponential histograms, whose bounds cannot be moved.
func (k Kind) Convertible() bool {
	return k != KindCumulativeExponential && k != KindDeltaExponential && k != KindUnspecifiedExponential
}
