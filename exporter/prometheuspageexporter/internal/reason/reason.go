// Package reason names why a point is not on the page.
package reason

// Reason is an outcome of a point, and a value of the attribute reason.
type Reason string

const (
	// Shown is no reason: the point is on the page.
	Shown Reason = ""
	// Conflict is for a metric whose name the page has with another type.
	Conflict Reason = "conflict"
	// Late is for a point that is older than its series.
	Late Reason = "late"
	// Limit is for a new series, or a histogram with more buckets, that the limits have no room for.
	Limit Reason = "limit"
	// Malformed is for a point that contradicts itself.
	Malformed Reason = "malformed"
	// Name is for a metric of whose name nothing is left in Prometheus's form, or over 1 KiB.
	Name Reason = "name"
	// Overlap is for a delta point about a time that others have covered.
	Overlap Reason = "overlap"
	// Size is for one series of over 1 MiB.
	Size Reason = "size"
	// Temporality is for a metric of unknown temporality, and a delta that is not monotonic.
	Temporality Reason = "temporality"
)
