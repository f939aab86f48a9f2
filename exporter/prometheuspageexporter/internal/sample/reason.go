// SPDX-License-Identifier: Apache-2.0

package sample

// Reason is why a point is not on the page, and the value of the attribute reason.
type Reason string

const (
	// Shown means that the point is on the page.
	Shown Reason = ""
	// Conflict means that the page has the metric's name with another type.
	Conflict Reason = "conflict"
	// Late means that the point is older than its series.
	Late Reason = "late"
	// Limit means that there is no room for a new series, or for more buckets of a histogram.
	Limit Reason = "limit"
	// Malformed means that the point contradicts itself.
	Malformed Reason = "malformed"
	// Name means that no character of the metric's name can be kept in Prometheus, or that the
	// name exceeds 1 KiB.
	Name Reason = "name"
	// Overlap means that earlier delta points cover the time of the point.
	Overlap Reason = "overlap"
	// Size means that the series exceeds 1 MiB.
	Size Reason = "size"
	// Temporality means that the metric has an unspecified temporality, or is a non-monotonic
	// delta sum.
	Temporality Reason = "temporality"
)
