// SPDX-License-Identifier: Apache-2.0

// Package example runs the examples of convention packs: it sends what they say through the naming processor
// and the log formats, and compares what comes out.
package example
