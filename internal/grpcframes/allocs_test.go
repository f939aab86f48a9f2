//go:build !race

// The race detector makes sync.Pool forget at random, and so counts allocations of its own.

package grpcframes

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestNothingAllocatedForLongMessages(t *testing.T) {
	frames := framesOf(randomBytes(100_000), 16<<10)
	assert.LessOrEqual(t, testing.AllocsPerRun(100, func() {
		_, free := Whole(frames)
		free()
	}), 1.) // what frees it
}
