// SPDX-License-Identifier: Apache-2.0

//go:build race

package spanlinkprocessor

// slowdown is what the race detector costs.
const slowdown = 10
