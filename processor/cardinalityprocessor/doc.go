// Package cardinalityprocessor removes attributes that must not be on metrics and
// keeps the number of series within budgets, without losing or doubling what was
// measured.
//
// A point goes its way through these files: walk.go (finds the point's family and
// identity), route.go (is its series known, new or over a budget), fold.go (merges
// it into its output series), emit.go (writes the merged points).
package cardinalityprocessor

//go:generate go tool mdatagen metadata.yaml
