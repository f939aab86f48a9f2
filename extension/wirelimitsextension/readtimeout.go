// SPDX-License-Identifier: Apache-2.0

package wirelimitsextension

import (
	"context"
	"time"

	"google.golang.org/grpc/tap"
)

// timerKey is the key of the timer in the context of a call.
type timerKey struct{}

// limitReading returns a context that ends if the message of a call is not received in time.
// gRPC has no read timeout and reads messages under this context. Without a timeout, a client
// that stops sending would keep the call, and the shutdown of the process, waiting forever.
func (m *middleware) limitReading(ctx context.Context, _ *tap.Info) (context.Context, error) {
	// After the timer is stopped, the call continues under its usual context, whose end also
	// cancels this one.
	ctx, cancel := context.WithCancel(ctx)
	timer := time.AfterFunc(m.config.ReadTimeout, func() {
		if ctx.Err() == nil { // a call of an unknown method, for example, has ended already
			_ = m.refuse(ctx, m.late(), "grpc", clientOf(ctx))
		}
		cancel()
	})
	return context.WithValue(ctx, timerKey{}, timer), nil
}

// stopTimer removes the time limit of a call.
func stopTimer(ctx context.Context) {
	if timer, ok := ctx.Value(timerKey{}).(*time.Timer); ok {
		timer.Stop()
	}
}
