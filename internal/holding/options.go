package holding

import (
	"context"
	"time"
)

// Options say what a Queue holds and who is told. Its own goroutine calls the
// functions, one at a time.
type Options[T any] struct {
	// MaxItems and MaxBytes are how much is held. Of more, what is due next is let go at
	// once. As much again can be on its way to the next component.
	MaxItems, MaxBytes int
	// Release is told once of values that are let go, before they are delivered. It may
	// change what they point to.
	Release func(ctx context.Context, values []T, why Reason)
	// Deliver hands values on. It is called again with the same values after an error
	// that is not permanent, and renders them anew: a consumer may have changed what an
	// earlier attempt gave it.
	Deliver func(ctx context.Context, values []T) error
	// Lost is told of values that are refused for good, or left when the context of
	// Shutdown ends. A Hold after Shutdown calls it too.
	Lost func(values int, err error)
	// Waits is told of a delivery that is going to be repeated, once. Optional.
	Waits func(err error)
	// Ready is asked Every so often about all that is held: ready[i] lets values[i] go.
	// It may change what they point to, and not keep the slices. Optional.
	Ready func(ctx context.Context, values []T, ready []bool)
	Every time.Duration
}

// Reason is why a value is let go.
type Reason uint8

// The reasons.
const (
	Deadline Reason = iota
	Ready           // as Options.Ready says
	Overflow
	Shutdown
	ReasonCount
)

func (r Reason) String() string {
	return [ReasonCount]string{"deadline", "ready", "overflow", "shutdown"}[r]
}
