// SPDX-License-Identifier: Apache-2.0

// Package names decides what a metric of a query, and its labels, are called on our Prometheus
// page: by the packs' decisions, and then by Prometheus' translation of names. A query has the
// name of a sample, so the metric's type and the name that its sender uses are found first.
package names
