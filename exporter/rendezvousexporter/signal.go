package rendezvousexporter

import (
	"context"
	"iter"

	"go.opentelemetry.io/collector/pipeline"
	"google.golang.org/grpc"
)

// signal is what differs between traces, metrics and logs. T is a batch. Its units are
// what always stays in one piece.
type signal[T any] struct {
	name pipeline.Signal
	// keys are those of all units of a batch, in order, each with its number of items.
	keys func(T) iter.Seq2[uint64, int]
	// divide moves the units of a batch into n parts, by the number of the part that each
	// goes to.
	divide func(batch T, to []int, n int) []T
	// add moves all of a batch behind another.
	add func(batch, more T)
	// unsent is an error that carries what has to be sent again.
	unsent func(error, T) error
	// newSend returns what sends batches over a connection. Of those that are taken it
	// returns how many items are not, and what the endpoint said.
	newSend func(*grpc.ClientConn) func(context.Context, T, ...grpc.CallOption) (rejected int64, message string, err error)
}

// divide moves units into n batches, each to that of its number. It copies a resource or
// scope once to each batch that has units of it.
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
