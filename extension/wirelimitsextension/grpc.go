package wirelimitsextension

import (
	"context"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/peer"
	"google.golang.org/grpc/stats"
	"google.golang.org/grpc/status"
)

// maxHeaderList is how large the headers of a call may be, which are mostly a token. A block
// of few bytes decodes to as much as this allows: gRPC's default is 16 MiB.
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

// handover brings what the codec found, which does not know the call, into the context of
// the call. The server calls it right after the codec, so that nothing is left behind if
// somebody before our interceptor refuses the call, and at the end of every call that got
// as far as the codec, also of one that panics.
type handover struct{ codec *codec }

type callKey struct{}

// call is what is known of one.
type call struct {
	finding
	coming bool // its message is on its way
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
		c.coming = true
		h.codec.middleware.inFlight.begin()
	case *stats.InPayload:
		length := event.Length
		c.finding = h.codec.take(event.Payload)
		if c.refusal != nil && c.refusal.code != codes.Unavailable { // it does not come again
			length = 0
		}
		h.came(ctx, c, length)
	case *stats.End:
		h.came(ctx, c, 0)
		c.share.release()
		c.entry.End(final(status.Code(event.Error)))
	}
}

// came is for calls whose message has come whole, or never will. The length is 0 unless the
// message was accepted, or may come again.
func (h *handover) came(ctx context.Context, c *call, length int) {
	if c.coming {
		c.coming = false
		h.codec.middleware.inFlight.end(length)
		stopTimer(ctx)
	}
}

// TagConn implements stats.Handler.
func (*handover) TagConn(ctx context.Context, _ *stats.ConnTagInfo) context.Context { return ctx }

// HandleConn implements stats.Handler.
func (*handover) HandleConn(context.Context, stats.ConnStats) {}

// intercept refuses the calls whose request the codec left undecoded, and answers for the
// pipeline when it panics.
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

// clientOf returns the address of who calls.
func clientOf(ctx context.Context) string {
	if p, ok := peer.FromContext(ctx); ok {
		return p.Addr.String()
	}
	return ""
}
