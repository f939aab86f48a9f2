// SPDX-License-Identifier: Apache-2.0

package collectortest

import (
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/encoding/proto"
	"google.golang.org/grpc/mem"
	"google.golang.org/grpc/status"
)

// RawClient sends messages over gRPC that no library would encode.
type RawClient struct{ Connection *grpc.ClientConn }

// DialRaw connects a client that sends bytes unchanged.
func DialRaw(t *testing.T, c *Collector, options ...grpc.DialOption) RawClient {
	t.Helper()
	return RawClient{Dial(t, c.GRPC, append(options, grpc.WithDefaultCallOptions(grpc.ForceCodecV2(rawCodec{})))...)}
}

// ExportRaw sends an export request of traces.
func (r RawClient) ExportRaw(t *testing.T, body []byte) codes.Code {
	t.Helper()
	var answer []byte
	return status.Code(r.Connection.Invoke(t.Context(), ExportMethod, &body, &answer))
}

// rawCodec sends messages as bytes.
type rawCodec struct{}

func (rawCodec) Marshal(v any) (mem.BufferSlice, error) {
	return mem.BufferSlice{mem.SliceBuffer(*v.(*[]byte))}, nil
}

func (rawCodec) Unmarshal(data mem.BufferSlice, v any) error {
	*v.(*[]byte) = data.Materialize()
	return nil
}

func (rawCodec) Name() string { return proto.Name }

// The method of requests with spans, and the shortest read timeout of wire_limits.
const (
	ExportMethod = "/opentelemetry.proto.collector.trace.v1.TraceService/Export"
	ReadTimeout  = "yaml:extensions: {wire_limits: {read_timeout: 1s}}"
)
