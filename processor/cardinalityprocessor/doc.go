// Package cardinalityprocessor removes attributes that must not be on metrics and
// keeps the number of series within budgets, without losing or doubling what was
// measured.
//
// This package goes through batches, and the packages below it decide and remember. A point
// comes to the following places:
//
//   - walk.go finds the series of the point's metric.
//   - points.go has internal/identity hash the point's attributes, as internal/plan says
//     which of them stay.
//   - internal/series says what becomes of the point: see the truth table of that package.
//   - emit.go, or window.go, puts what goes out in the point's place.
//
// When the processor stops, internal/snapshot encodes the series for the next start.
package cardinalityprocessor

//go:generate go tool mdatagen metadata.yaml
