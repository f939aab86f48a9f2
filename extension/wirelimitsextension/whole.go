package wirelimitsextension

import (
	"slices"
	"sync"

	"google.golang.org/grpc/mem"
)

// wholes put requests together that came in frames. The pools of gRPC and pdata could do that,
// but clear up to 1 MiB for each request that is longer than 32 KiB; BenchmarkFold tells. It is
// safe for concurrent use.
type wholes struct{ pool sync.Pool } // of *[]byte

// of returns the bytes of a request, until they are freed.
func (w *wholes) of(frames mem.BufferSlice) (request []byte, free func()) {
	if len(frames) == 1 {
		return frames[0].ReadOnlyData(), func() {}
	}
	whole, ok := w.pool.Get().(*[]byte)
	if !ok {
		whole = new([]byte)
	}
	*whole = slices.Grow((*whole)[:0], frames.Len())
	for _, frame := range frames {
		*whole = append(*whole, frame.ReadOnlyData()...)
	}
	return *whole, func() { w.pool.Put(whole) }
}
