// Package tracecontext decides which trace and span a log record belongs to, by
// what its fields and its text say of it.
//
// Keys knows the keys that ids are found under and how the values of each are
// written. Evidence gathers what a record says under these keys; Decision takes
// the sources in their order and settles on one trace and one span, or finds that
// they disagree. Fields is both in one for a caller that has parsed fields and one
// source.
//
// A wrong id is worse than none: a value that is not exactly an id is rejected,
// a key that once had no id has none, and a span counts only beside the trace that
// was written under the same style of key.
package tracecontext
