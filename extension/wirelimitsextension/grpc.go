// SPDX-License-Identifier: Apache-2.0

package wirelimitsextension

import (
	"context"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/peer"
	"google.golang.org/grpc/stats"
	"google.golang.org/grpc/status"
	"google.golang.org/grpc/tap"
)

// maxHeaderList bounds the headers of a call in bytes; most of them are a token. A compressed
// header block of a few bytes can decode to this size. gRPC's default is 16 MiB.
const maxHeaderList = 64 << 10

// GetGRPCServerOptions implements extensionmiddleware.GRPCServer.
func (m *middleware) GetGRPCServerOptions(context.Context) ([]grpc.ServerOption, error) {
	return m.serverOptions(newCodec(m)), nil
}

func (m *middleware) serverOptions(c *codec) []grpc.ServerOption {
	options := []grpc.ServerOption{
		grpc.MaxHeaderListSize(maxHeaderList),
		grpc.ForceServerCodecV2(c),
		grpc.StatsHandler(&handover{codec: c}),
		grpc.ChainUnaryInterceptor(m.intercept),
	}
	if m.config.ReadTimeout > 0 {
		options = append(options, grpc.InTapHandle(m.limitReading), grpc.ConnectionTimeout(m.config.ReadTimeout))
	}
	return options
}

// handover moves the codec's finding, which is found without the call, to the context of the
// call. gRPC calls it directly after the codec, so nothing remains if an earlier interceptor
// refuses the call. gRPC also calls it at the end of every call that reached the codec, even
// after a panic.
type handover struct{ codec *codec }

type callKey struct{}

// call is the state of a call.
type call struct {
	finding
	receiving bool // its message is being received
}

// TagRPC implements stats.Handler.
func (*handover) TagRPC(ctx context.Context, _ *stats.RPCTagInfo) context.Context {
	return context.WithValue(ctx, callKey{}, &call{})
}

// HandleRPC implements stats.Handler.
func (h *handover) HandleRPC(ctx context.Context, event stats.RPCStats) {
	c := ctx.Value(callKey{}).(*call)
	switch event := event.(type) {
	case *stats.Begin:
		c.receiving = true
		h.codec.middleware.inFlight.begin()
	case *stats.InPayload:
		length := event.Length
		c.finding = h.codec.take(event.Payload)
		if c.refusal != nil && c.refusal.code != codes.Unavailable { // the client does not send it again
			length = 0
		}
		h.received(ctx, c, length)
	case *stats.End:
		h.received(ctx, c, 0)
		c.share.release()
		c.entry.End(final(status.Code(event.Error)))
	}
}

// received ends the receiving of a call's message, whether it is complete or failed. The length
// is 0 unless the message was accepted, or the client may send it again.
func (h *handover) received(ctx context.Context, c *call, length int) {
	if c.receiving {
		c.receiving = false
		h.codec.middleware.inFlight.end(length)
		stopTimer(ctx)
	}
}

// TagConn implements stats.Handler.
func (*handover) TagConn(ctx context.Context, _ *stats.ConnTagInfo) context.Context { return ctx }

// HandleConn implements stats.Handler.
func (*handover) HandleConn(context.Context, stats.ConnStats) {}

// intercept refuses the requests that the codec left undecoded, and returns an error if the
// pipeline panics.
func (m *middleware) intercept(ctx context.Context, request any, _ *grpc.UnaryServerInfo, handler grpc.UnaryHandler) (response any, err error) {
	defer func() {
		if value := recover(); value != nil {
			m.panicked(ctx, value, signalOf(request), "grpc")
			response, err = nil, errPanic
		}
	}()
	if refusal := ctx.Value(callKey{}).(*call).refusal; refusal != nil {
		return nil, m.refuse(ctx, refusal, "grpc", clientOf(ctx))
	}
	return handler(ctx, request)
}

// clientOf returns the client's address.
func clientOf(ctx context.Context) string {
	if p, ok := peer.FromContext(ctx); ok {
		return p.Addr.String()
	}
	return ""
}

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
