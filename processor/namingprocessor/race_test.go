//go:build race

package namingprocessor

// raced says whether the race detector watches, which makes tests fifty times slower.
const raced = true
