// SPDX-License-Identifier: Apache-2.0

//go:generate go tool mdatagen metadata.yaml

// Package readinessextension reports over HTTP and as metrics whether the collector is ready for data. The
// answer lists the conditions that make it not ready, and the conditions to watch. It learns of them from
// the collector's component status and the collector's own metrics.
package readinessextension
