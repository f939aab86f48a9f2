// SPDX-License-Identifier: Apache-2.0

//go:generate go tool mdatagen metadata.yaml

// Package logcorrelationprocessor gives log records the trace and span ids that are in
// their attributes or bodies. Package tracecontext decides what an id is and which one
// counts. This package walks the data, counts, and removes records that came twice.
// Records without ids find the span that has a key of theirs in a correlation index, and
// are held until it has come.
package logcorrelationprocessor
