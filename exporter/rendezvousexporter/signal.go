package rendezvousexporter

import (
	"context"
	"iter"

	"go.opentelemetry.io/collector/pipeline"
	"google.golang.org/grpc"
)

// signal is what differs between traces, metrics and logs, of which T is a batch. Its
// units are what always stays in one piece.
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
