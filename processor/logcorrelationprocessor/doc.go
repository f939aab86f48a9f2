//go:generate go tool mdatagen metadata.yaml

// Package logcorrelationprocessor gives log records the trace and span ids that
// are in their attributes or bodies. What is an id and which one counts is decided
// in package tracecontext; this package walks the data, counts, and removes
// records that came twice.
package logcorrelationprocessor
