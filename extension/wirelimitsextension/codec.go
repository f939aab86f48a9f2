package wirelimitsextension

import (
	"errors"
	"reflect"
	"sync"

	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/encoding/proto"
	"google.golang.org/grpc/mem"

	"github.com/otelcol-tc/otelcol-tc/extension/wirelimitsextension/internal/wire"
	"github.com/otelcol-tc/otelcol-tc/internal/wirefold"
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

// finding is what the codec found of a request: why it is refused, or what it takes and
// what was folded of it.
type finding struct {
	refusal *refusal
	share   share
	batch   wirefold.Batch // what was folded, or nil
}

// newCodec returns a codec over that which the server uses without us.
func newCodec(m *middleware) *codec {
	return &codec{CodecV2: encoding.GetCodecV2(proto.Name), middleware: m, found: map[any]finding{}}
}

// Unmarshal implements encoding.CodecV2.
func (c *codec) Unmarshal(data mem.BufferSlice, request any) error {
	signal := signalOf(request)
	if signal == wire.Unknown {
		return c.CodecV2.Unmarshal(data, request)
	}
	found := finding{share: share{of: c.middleware.inFlight}}
	handed := false
	defer func() {
		if !handed { // nobody hears of a request that cannot be decoded
			found.share.release()
		}
	}()
	whole := data.Len()
	decode := func(data mem.BufferSlice) error {
		if found.refusal = c.look(&found.share, data, signal, whole); found.refusal != nil {
			return errRefused
		}
		return c.CodecV2.Unmarshal(data, request)
	}
	var err error
	if signal == wire.Metrics && c.middleware.folding.folder != nil {
		found.batch, err = c.fold(data, decode)
	} else {
		err = decode(data)
	}
	if err != nil && found.refusal == nil {
		return err
	}
	handed = true
	c.mu.Lock()
	defer c.mu.Unlock()
	c.found[request] = found
	return nil
}

// errRefused ends the decoding of a request that is refused.
var errRefused = errors.New("the request does not keep the limits")

// look reads what is to be decoded on the wire, of a request that came with so many bytes.
// What is not valid ends before its bytes do.
func (c *codec) look(share *share, data mem.BufferSlice, signal wire.Signal, whole int) *refusal {
	checker := wire.NewProtobuf(signal, c.middleware.limits)
	for _, chunk := range data {
		if broken := checker.Check(chunk.ReadOnlyData()); broken != wire.None {
			return c.middleware.breaks(broken)
		}
	}
	if !share.grow(max(checker.Size(), whole)) {
		return c.middleware.busy()
	}
	return nil
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
