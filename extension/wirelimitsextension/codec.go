// SPDX-License-Identifier: Apache-2.0

package wirelimitsextension

import (
	"context"
	"reflect"
	"sync"

	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/encoding/proto"
	"google.golang.org/grpc/mem"

	"github.com/otelcol-tc/otelcol-tc/extension/wirelimitsextension/internal/poison"
	"github.com/otelcol-tc/otelcol-tc/extension/wirelimitsextension/internal/wire"
)

// codec decodes requests that are within the limits. It leaves other requests undecoded, and
// the interceptor refuses them: a codec cannot return InvalidArgument, because the server
// converts its errors to Internal.
type codec struct {
	encoding.CodecV2
	middleware *middleware

	mu    sync.Mutex
	found map[any]finding // by request, until take; guarded by mu
}

// finding is the result of the codec's checks: a refusal, or the memory that the request takes.
type finding struct {
	refusal *refusal
	share   share
	entry   *poison.Entry // nil if the request is refused
}

// newCodec returns a codec that wraps the server's default codec, pdata's.
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
	handedOver := false
	defer func() {
		if value := recover(); value != nil {
			c.middleware.panicked(context.Background(), value, signal, "grpc")
			err = errPanic
		}
		if !handedOver { // nothing else releases a request that cannot be decoded
			found.share.release()
			found.entry.End(true)
		}
	}()
	found = c.inspect(data, signal)
	if found.refusal == nil {
		found.entry, found.refusal = c.enter(data, signal)
	}
	if found.refusal == nil {
		if err := c.CodecV2.Unmarshal(data, request); err != nil {
			return err
		}
	}
	handedOver = true
	c.mu.Lock()
	defer c.mu.Unlock()
	c.found[request] = found
	return nil
}

// inspect checks an encoded request. It does not report invalid protobuf, which decoding
// refuses.
func (c *codec) inspect(data mem.BufferSlice, signal wire.Signal) finding {
	checker := wire.NewProtobuf(signal, c.middleware.limits)
	for _, chunk := range data {
		if broken := checker.Check(chunk.ReadOnlyData()); broken != wire.None {
			return finding{refusal: c.middleware.violation(broken)}
		}
	}
	found := finding{share: share{total: c.middleware.inFlight}}
	if !found.share.grow(max(checker.Size(), data.Len())) {
		found.refusal = c.middleware.busy()
	}
	return found
}

// enter adds a request to the journal before it is handled.
func (c *codec) enter(data mem.BufferSlice, signal wire.Signal) (*poison.Entry, *refusal) {
	journal := c.middleware.journal
	if journal == nil || data.Len() == 0 {
		return nil, nil
	}
	hash := journal.Hash()
	for _, chunk := range data {
		hash.Add(chunk.ReadOnlyData())
	}
	// The codec has no context of the call. The only wait here is a suspect's, which is
	// bounded.
	return c.middleware.enter(context.Background(), handled{signal, "grpc", "binpb"}, hash.Fingerprint(), data.Materialize)
}

// take returns the finding of a request and removes it.
func (c *codec) take(request any) finding {
	c.mu.Lock()
	defer c.mu.Unlock()
	found := c.found[request]
	delete(c.found, request)
	return found
}

// signalOf returns the signal of a request by the name of its type: one of pdata's internal
// types, which are named as OTLP's messages.
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
