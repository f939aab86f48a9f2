// SPDX-License-Identifier: Apache-2.0

// Package tcgen sends what the four systems send, as package scenario generates it, and compares it item by item with
// what came out.
package tcgen
