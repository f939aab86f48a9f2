//go:build !race

package spanlinkprocessor

const slowdown = 1
