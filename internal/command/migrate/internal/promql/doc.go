// SPDX-License-Identifier: Apache-2.0

// Package promql rewrites a query for the names and labels of our Prometheus page. It changes the
// words of the query's text where they are, so the text keeps its form. Variables of Grafana are
// replaced by placeholders that Prometheus' parser accepts, and the changes are made in the text
// with the variables. A query that cannot be rewritten as a whole is not changed.
package promql
