//go:build !race

package namingprocessor

const raced = false
