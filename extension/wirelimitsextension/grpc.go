package wirelimitsextension

import (
	"context"

	"google.golang.org/grpc"
	"google.golang.org/grpc/peer"
	"google.golang.org/grpc/stats"

	"github.com/otelcol-tc/otelcol-tc/extension/wirelimitsextension/internal/wire"
)

// GetGRPCServerOptions implements extensionmiddleware.GRPCServer.
func (m *middleware) GetGRPCServerOptions(context.Context) ([]grpc.ServerOption, error) {
	return m.serverOptions(newCodec(m.limits)), nil
}

func (m *middleware) serverOptions(c *codec) []grpc.ServerOption {
	return []grpc.ServerOption{
		grpc.ForceServerCodecV2(c),
		grpc.StatsHandler(&handover{codec: c}),
		grpc.ChainUnaryInterceptor(m.intercept),
	}
}

// handover brings what the codec found, which does not know the call, into the context of
// the call. The server calls it right after the codec, so that nothing is left behind if
// somebody before our interceptor refuses the call.
type handover struct{ codec *codec }

type callKey struct{}

// call is what is known of one.
type call struct{ broken wire.Rule }

// TagRPC implements stats.Handler.
func (*handover) TagRPC(ctx context.Context, _ *stats.RPCTagInfo) context.Context {
	return context.WithValue(ctx, callKey{}, &call{})
}

// HandleRPC implements stats.Handler.
func (h *handover) HandleRPC(ctx context.Context, event stats.RPCStats) {
	payload, ok := event.(*stats.InPayload)
	if !ok {
		return
	}
	if broken, ok := h.codec.refused.LoadAndDelete(payload.Payload); ok {
		ctx.Value(callKey{}).(*call).broken = broken.(wire.Rule)
	}
}

// TagConn implements stats.Handler.
func (*handover) TagConn(ctx context.Context, _ *stats.ConnTagInfo) context.Context { return ctx }

// HandleConn implements stats.Handler.
func (*handover) HandleConn(context.Context, stats.ConnStats) {}

// intercept refuses the calls whose request the codec left undecoded.
func (m *middleware) intercept(ctx context.Context, request any, _ *grpc.UnaryServerInfo, handler grpc.UnaryHandler) (any, error) {
	if rule := ctx.Value(callKey{}).(*call).broken; rule != wire.None {
		client := ""
		if p, ok := peer.FromContext(ctx); ok {
			client = p.Addr.String()
		}
		return nil, m.refuse(ctx, rule, "grpc", client)
	}
	return handler(ctx, request)
}
