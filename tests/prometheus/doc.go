// SPDX-License-Identifier: Apache-2.0

// Package prometheus tests the Prometheus page, and scrapes, with a real Prometheus server.
package prometheus
