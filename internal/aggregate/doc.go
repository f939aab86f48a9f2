// SPDX-License-Identifier: Apache-2.0

// Package aggregate merges the measurements of metric data points exactly: a count never leaves
// the bucket that covers it, and nothing is estimated.
//
// Each kind of point has a type whose zero value holds no measurements. All types have the same
// methods:
//   - Read and Write convert from and to a data point, and share no memory with it.
//   - Set copies.
//   - Add merges the measurements of two streams.
//   - Sub turns a later value of a cumulative stream into the increment since an earlier one.
//
// All methods reuse the memory of their receiver, so a steady stream allocates nothing. No type
// is safe for concurrent use.
package aggregate
