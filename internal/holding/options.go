// SPDX-License-Identifier: Apache-2.0

package holding

import (
	"context"
	"time"
)

// Options are the limits and the callbacks of a Queue. The queue's goroutine calls the functions one at a
// time.
type Options[T any] struct {
	// MaxItems and MaxBytes limit the held values. Above a limit, the queue releases the values that are
	// due next. Released values that are not yet delivered may take as much again.
	MaxItems, MaxBytes int
	// Release is called once for released values, before their delivery. It may change what they point to.
	Release func(ctx context.Context, values []T, why Reason)
	// Deliver sends values to the next component. After an error that is not permanent it is called again
	// with the same values. It must render them anew, because a consumer may have changed the data of an
	// earlier attempt.
	Deliver func(ctx context.Context, values []T) error
	// Lost is called for values that are refused permanently, that are left when the context of Shutdown
	// ends, or that Hold gets after Shutdown.
	Lost func(values int, err error)
	// Waits is called once for a delivery that will be retried. Optional.
	Waits func(err error)
	// Ready is called with all held values at the interval Every. It sets ready[i] to release values[i].
	// It may change what they point to, but must not keep the slices. Optional.
	Ready func(ctx context.Context, values []T, ready []bool)
	Every time.Duration
}

// Reason is why a value is released.
type Reason uint8

// The reasons for a release.
const (
	Deadline Reason = iota
	Ready           // Options.Ready released it
	Overflow
	Shutdown
	ReasonCount
)

func (r Reason) String() string {
	return [ReasonCount]string{"deadline", "ready", "overflow", "shutdown"}[r]
}
