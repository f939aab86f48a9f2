package wirelimitsextension

import (
	"context"
	"reflect"
	"sync"

	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/encoding/proto"
	"google.golang.org/grpc/mem"

	"github.com/otelcol-tc/otelcol-tc/extension/wirelimitsextension/internal/journal"
	"github.com/otelcol-tc/otelcol-tc/extension/wirelimitsextension/internal/wire"
)

// codec decodes what keeps the limits. A codec cannot say InvalidArgument, since the
// server turns its errors into Internal: a request that does not keep them is left
// undecoded, and refused by the interceptor.
type codec struct {
	encoding.CodecV2
	middleware *middleware

	mu    sync.Mutex
	found map[any]finding // guarded by mu; by request, until it is handed over
}

// finding is what the codec found of a request: why it is refused, or what it takes.
type finding struct {
	refusal *refusal
	share   share
	entry   *journal.Entry // nil when it is refused
}

// newCodec returns a codec over the one that a server has without the extension: pdata's.
func newCodec(m *middleware) *codec {
	return &codec{CodecV2: encoding.GetCodecV2(proto.Name), middleware: m, found: map[any]finding{}}
}

// Unmarshal implements encoding.CodecV2.
func (c *codec) Unmarshal(data mem.BufferSlice, request any) (err error) {
	signal := signalOf(request)
	if signal == wire.Unknown {
		return c.CodecV2.Unmarshal(data, request)
	}
	var found finding
	handed := false
	defer func() {
		if value := recover(); value != nil {
			c.middleware.panicked(context.Background(), value, signal, "grpc")
			err = errPanic
		}
		if !handed { // nobody hears of a request that cannot be decoded
			found.share.release()
			found.entry.End(true)
		}
	}()
	found = c.look(data, signal)
	if found.refusal == nil {
		found.entry, found.refusal = c.enter(data, signal)
	}
	if found.refusal == nil {
		if err := c.CodecV2.Unmarshal(data, request); err != nil {
			return err
		}
	}
	handed = true
	c.mu.Lock()
	defer c.mu.Unlock()
	c.found[request] = found
	return nil
}

// look reads a request on the wire. What is not valid ends before its bytes do.
func (c *codec) look(data mem.BufferSlice, signal wire.Signal) finding {
	checker := wire.NewProtobuf(signal, c.middleware.limits)
	for _, chunk := range data {
		if broken := checker.Check(chunk.ReadOnlyData()); broken != wire.None {
			return finding{refusal: c.middleware.breaks(broken)}
		}
	}
	found := finding{share: share{of: c.middleware.inFlight}}
	if !found.share.grow(max(checker.Size(), data.Len())) {
		found.refusal = c.middleware.busy()
	}
	return found
}

// enter notes that a request is about to be handled.
func (c *codec) enter(data mem.BufferSlice, signal wire.Signal) (*journal.Entry, *refusal) {
	journal := c.middleware.poison.journal
	if journal == nil || data.Len() == 0 {
		return nil, nil
	}
	hash := journal.Hash()
	for _, chunk := range data {
		hash.Add(chunk.ReadOnlyData())
	}
	// The codec does not know the call. Nothing here takes longer than a suspect's turn.
	return c.middleware.enter(context.Background(), handled{signal, "grpc", "binpb"}, hash.Fingerprint(), data.Materialize)
}

// take returns what was found of a request, and forgets it.
func (c *codec) take(request any) finding {
	c.mu.Lock()
	defer c.mu.Unlock()
	found := c.found[request]
	delete(c.found, request)
	return found
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
