// Package aggregate merges what metric data points measured, exactly: a count
// never leaves the bucket that covers it, and nothing is estimated.
//
// Each kind of point has a type whose zero value is "nothing measured yet", with
// the same methods. Read and Write exchange measurements with a point, and share
// no memory with it; Set copies; Add merges the measurements of two streams; Sub
// turns a later value of a cumulative stream into what was measured since an
// earlier one. All of them reuse the memory of their receiver, so that a steady
// stream allocates nothing. No type is safe for concurrent use.
package aggregate
