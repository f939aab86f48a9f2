//go:build race

package spanlinkprocessor

// slowdown is what the race detector costs.
const slowdown = 10
