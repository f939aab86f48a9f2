// SPDX-License-Identifier: Apache-2.0

// Package links tests the links between spans, and the ids of logs, against the true ones, with each index.
package links
