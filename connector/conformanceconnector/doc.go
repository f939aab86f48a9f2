//go:generate go tool mdatagen metadata.yaml

// Package conformanceconnector reports how well telemetry follows the convention. It changes
// nothing.
//
// One file a signal walks a batch (traces.go, metrics.go, logs.go). Package verdict decides whether
// each name, key and record follows the rules, as the naming processor does, and package coherence
// judges traces as a whole. Both count in package report, whose reports scores.go and records.go
// turn into metrics and log records, and package page shows to browsers.
package conformanceconnector
