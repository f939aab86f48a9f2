package wirelimitsextension

import (
	"context"
	"time"

	"google.golang.org/grpc/tap"
)

// timerKey is that of the timer in the context of a call.
type timerKey struct{}

// limitReading gives a call a context that ends unless its message comes in time. This is
// the only context that gRPC reads messages under: it has no read timeout, and without one
// a client that says nothing more holds the call, and the end of the process, for good.
func (m *middleware) limitReading(ctx context.Context, _ *tap.Info) (context.Context, error) {
	// Once the timer is stopped the call goes on under what is its context anyway, whose end
	// also frees this one.
	ctx, cancel := context.WithCancel(ctx)
	timer := time.AfterFunc(m.config.ReadTimeout, func() {
		if ctx.Err() == nil { // the call has not ended otherwise, as one of an unknown method does
			_ = m.refuse(ctx, m.late(), "grpc", clientOf(ctx))
		}
		cancel()
	})
	return context.WithValue(ctx, timerKey{}, timer), nil
}

// stopTimer lets the call take as long as it likes.
func stopTimer(ctx context.Context) {
	if timer, ok := ctx.Value(timerKey{}).(*time.Timer); ok {
		timer.Stop()
	}
}
