package wirefold

import "context"

// Call is one call of a client, whose request comes later than its context.
type Call struct{ Batch Batch }

type callKey struct{}

// WithCall returns a context of a call.
func WithCall(ctx context.Context, call *Call) context.Context {
	return context.WithValue(ctx, callKey{}, call)
}

// BatchOf returns what was taken out of the request that a context belongs to, or nil.
func BatchOf(ctx context.Context) Batch {
	if call, ok := ctx.Value(callKey{}).(*Call); ok {
		return call.Batch
	}
	return nil
}
