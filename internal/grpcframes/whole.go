package grpcframes

import (
	"slices"
	"sync"

	"google.golang.org/grpc/mem"
)

// pool has room for whole messages. The pools of gRPC and of pdata would do as well, but
// clear all of what they give away: half a MiB for a message of 33 KiB.
var pool sync.Pool // of *[]byte

// Whole returns the bytes of a message, until they are freed.
func Whole(frames mem.BufferSlice) (message []byte, free func()) {
	if len(frames) == 1 {
		return frames[0].ReadOnlyData(), func() {}
	}
	whole, ok := pool.Get().(*[]byte)
	if !ok {
		whole = new([]byte)
	}
	*whole = slices.Grow((*whole)[:0], frames.Len())
	for _, frame := range frames {
		*whole = append(*whole, frame.ReadOnlyData()...)
	}
	return *whole, func() { pool.Put(whole) }
}
