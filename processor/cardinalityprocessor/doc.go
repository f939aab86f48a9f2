// Package cardinalityprocessor removes attributes that must not be on metrics and
// keeps the number of series within budgets, without losing or doubling what was
// measured.
//
// A point goes its way through these files: walk.go (the batch, and the point's
// family), points.go (the points of one metric), keys.go (what the point's
// attributes say), route.go (is its series known, new or past a budget), tracker.go
// (how it is merged into its output), emit.go (what goes out in its place).
package cardinalityprocessor

//go:generate go tool mdatagen metadata.yaml
