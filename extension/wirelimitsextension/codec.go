package wirelimitsextension

import (
	"reflect"
	"sync"

	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/encoding/proto"
	"google.golang.org/grpc/mem"

	"github.com/otelcol-tc/otelcol-tc/extension/wirelimitsextension/internal/wire"
)

// codec decodes what keeps the limits. A codec cannot say InvalidArgument, since the
// server turns its errors into Internal: a request that does not keep them is left
// undecoded, and refused by the interceptor.
type codec struct {
	encoding.CodecV2
	limits  wire.Limits
	refused sync.Map // wire.Rule by request, until it is handed over
}

// newCodec returns a codec over pdata's own, which the server uses without us.
func newCodec(limits wire.Limits) *codec {
	return &codec{CodecV2: encoding.GetCodecV2(proto.Name), limits: limits}
}

// Unmarshal implements encoding.CodecV2.
func (c *codec) Unmarshal(data mem.BufferSlice, request any) error {
	if signal := signalOf(request); signal != wire.Unknown {
		checker := wire.NewProtobuf(signal, c.limits)
		for _, chunk := range data {
			if rule := checker.Check(chunk.ReadOnlyData()); rule != wire.None {
				c.refused.Store(request, rule)
				return nil
			}
		}
	}
	return c.CodecV2.Unmarshal(data, request)
}

// signalOf goes by the name of a request's type: it is one of pdata's internal types,
// called as OTLP calls its messages.
func signalOf(request any) wire.Signal {
	pointer := reflect.TypeOf(request)
	if pointer == nil || pointer.Kind() != reflect.Pointer {
		return wire.Unknown
	}
	switch pointer.Elem().Name() {
	case "ExportTraceServiceRequest":
		return wire.Traces
	case "ExportMetricsServiceRequest":
		return wire.Metrics
	case "ExportLogsServiceRequest":
		return wire.Logs
	default:
		return wire.Unknown
	}
}
