// SPDX-License-Identifier: Apache-2.0

// Package migrate tests that queries that otelcol-tc migrate rewrites give the results of the old
// queries, with a real Prometheus server.
package migrate
