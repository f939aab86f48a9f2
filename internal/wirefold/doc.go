// Package wirefold is what wire_limits, which sees the bytes of a request before anything is
// made of them, and the processors know of each other, so that points can be folded on the
// wire: naming says what it would do, and cardinality does what it would do later.
package wirefold
