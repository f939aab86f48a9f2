// SPDX-License-Identifier: Apache-2.0

// Package migrate implements the command otelcol-tc migrate: it rewrites the queries of dashboards,
// rules and autoscalers for the names that the packs give metrics and labels.
//
// Internal packages do the work: document reads files so that texts can be changed in place, places
// finds the queries in them, names decides what a metric is called on our Prometheus page, and rewrite
// rewrites a query that internal/promql read. This package joins them and writes the results.
package migrate
