// SPDX-License-Identifier: Apache-2.0

//go:generate go tool mdatagen metadata.yaml

// Package conformanceconnector reports how well telemetry follows the convention. It does not change the
// data.
//
// Each signal has a file that walks its batches (traces.go, metrics.go, logs.go). Package verdict checks
// each name, key and record by the rules of the naming processor, and package coherence checks complete
// traces. Both count their results in package report. scores.go and records.go convert its reports to
// metrics and log records, and package page shows them in a browser.
package conformanceconnector
