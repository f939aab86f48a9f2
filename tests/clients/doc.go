// SPDX-License-Identifier: Apache-2.0

// Package clients runs real clients, which are Python programs of this folder, against the collector, and
// compares what came out with what they sent.
package clients
