// SPDX-License-Identifier: Apache-2.0

package rendezvousexporter

import (
	"context"
	"iter"

	"go.opentelemetry.io/collector/pipeline"
	"google.golang.org/grpc"
)

// signal contains what differs between traces, metrics and logs. T is a batch. A unit is the smallest part
// of a batch that is sent to one endpoint.
type signal[T any] struct {
	name  pipeline.Signal
	empty func() T
	// keys returns the key and the number of items of each unit of a batch, in order.
	keys func(T) iter.Seq2[uint64, int]
	// owned returns the batch, or a copy if others read it.
	owned func(T) T
	// divide moves the units of a batch into n parts. to is the number of the part for each unit.
	divide func(batch T, to []int, n int) []T
	// add appends a batch to another.
	add func(batch, more T)
	// unsent returns an error with the data to retry.
	unsent func(error, T) error
	// newSend returns a function that sends batches over a connection. For an accepted batch it returns
	// the number of rejected items and the endpoint's message.
	newSend func(*grpc.ClientConn) func(context.Context, T, ...grpc.CallOption) (rejected int64, message string, err error)
}

// owned returns the batch, or a copy of it if it is shared with other components.
func owned[T interface {
	IsReadOnly() bool
	CopyTo(T)
}](empty func() T) func(T) T {
	return func(batch T) T {
		if !batch.IsReadOnly() {
			return batch
		}
		own := empty()
		batch.CopyTo(own)
		return own
	}
}

// divide moves units into n batches. It copies a resource or scope once into each batch that has units of
// it.
func divide[T any, R, S comparable, U any](
	units func(func(R, S, U) bool), to []int, n int, empty func() T,
	addResource func(T, R) R, addScope func(R, S) S, move func(U, S),
) []T {
	type place struct {
		from, resource   R
		fromScope, scope S
	}
	divided, places := make([]T, n), make([]place, n)
	for i := range divided {
		divided[i] = empty()
	}
	unit := 0
	units(func(r R, s S, u U) bool {
		p := &places[to[unit]]
		if p.from != r {
			p.from, p.resource = r, addResource(divided[to[unit]], r)
		}
		if p.fromScope != s {
			p.fromScope, p.scope = s, addScope(p.resource, s)
		}
		move(u, p.scope)
		unit++
		return true
	})
	return divided
}
