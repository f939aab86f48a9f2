// SPDX-License-Identifier: Apache-2.0

// Package cardinalityprocessor drops attributes such as ids from metrics and keeps the number
// of series within budgets. It merges the points of the affected series, so that no value is
// lost or counted twice. This package walks through batches. The packages below it store the
// series and decide about points, and may not know batches.
//
// A point is processed in these steps:
//
//   - walk.go finds the stored metric of the point. internal/plan has the rules of new ones.
//   - points.go lets internal/identity hash the attributes, with and without dropped ones.
//   - internal/series decides about the point, by the truth table in its doc.go.
//   - emit.go replaces merged points by one point for each output.
//
// When the processor stops, internal/snapshot encodes the series for the next start.
package cardinalityprocessor

//go:generate go tool mdatagen metadata.yaml
