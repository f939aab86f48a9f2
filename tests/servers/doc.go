// SPDX-License-Identifier: Apache-2.0

// Package servers runs the servers that tests need beside the collector: Prometheus, Jaeger and Redis.
package servers
