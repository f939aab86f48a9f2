// SPDX-License-Identifier: Apache-2.0

package wirelimitsextension

import (
	"bytes"
	"context"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/extension/extensiontest"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/encoding/proto"
	"google.golang.org/grpc/mem"
	"google.golang.org/grpc/status"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

// created returns the extension alone.
func created(t testing.TB, change func(*Config)) *middleware {
	t.Helper()
	config := createDefaultConfig().(*Config)
	change(config)
	extension, err := NewFactory().Create(t.Context(), extensiontest.NewNopSettings(NewFactory().Type()), config)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, extension.Shutdown(context.Background())) })
	return extension.(*middleware)
}

// serve runs a gRPC server with the extension, and returns its address.
func serve(t *testing.T, c *codec, service ptraceotlp.GRPCServer, options ...grpc.ServerOption) string {
	t.Helper()
	server := grpc.NewServer(append(options, c.middleware.serverOptions(c)...)...)
	ptraceotlp.RegisterGRPCServer(server, service)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	go server.Serve(listener) //nolint:errcheck // it ends with Stop
	t.Cleanup(server.Stop)
	return listener.Addr().String()
}

func dial(t testing.TB, address string, options ...grpc.DialOption) *grpc.ClientConn {
	t.Helper()
	connection, err := grpc.NewClient(address, append(options, grpc.WithTransportCredentials(insecure.NewCredentials()))...)
	require.NoError(t, err)
	t.Cleanup(func() { connection.Close() })
	return connection
}

const exportTraces = "/opentelemetry.proto.collector.trace.v1.TraceService/Export"

// encoded is a codec for messages that are already encoded.
type encoded struct{}

func (encoded) Name() string { return proto.Name }

func (encoded) Marshal(message any) (mem.BufferSlice, error) {
	return mem.BufferSlice{mem.SliceBuffer(message.([]byte))}, nil
}

func (encoded) Unmarshal(mem.BufferSlice, any) error { return nil }

// unreliable randomly takes its time, fails, or panics.
type unreliable struct {
	ptraceotlp.UnimplementedGRPCServer
}

func (*unreliable) Export(ctx context.Context, _ ptraceotlp.ExportRequest) (ptraceotlp.ExportResponse, error) {
	return ptraceotlp.NewExportResponse(), mood(ctx)
}

func mood(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(rand.N(2 * time.Millisecond)):
	}
	switch rand.N(4) {
	case 0:
		return status.Error(codes.Internal, "failed")
	case 1:
		panic(http.ErrAbortHandler) // the HTTP server ends the connection without a log entry
	}
	return nil
}

// recovered is a server that survives panics.
func recovered(ctx context.Context, request any, _ *grpc.UnaryServerInfo, handler grpc.UnaryHandler) (_ any, err error) {
	defer func() {
		if recover() != nil {
			err = status.Error(codes.Unknown, "panicked")
		}
	}()
	return handler(ctx, request)
}

// unreliableHandler reads some of the body, or all.
func unreliableHandler(w http.ResponseWriter, r *http.Request) {
	if rand.N(4) == 0 {
		_, _ = io.CopyN(io.Discard, r.Body, 1000)
	} else if _, err := io.ReadAll(r.Body); err != nil {
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	if mood(r.Context()) != nil {
		w.WriteHeader(http.StatusInternalServerError)
	}
}

// However requests end, nothing of them remains.
func TestAllIsReleased(t *testing.T) {
	m := created(t, func(c *Config) {
		c.MaxInFlightMib = 1
		c.ReadTimeout = time.Hour
	})
	c := newCodec(m)
	connection := dial(t, serve(t, c, &unreliable{}, grpc.ChainUnaryInterceptor(recovered)), grpc.WithDefaultCallOptions(grpc.ForceCodecV2(encoded{})))
	wrap, err := m.GetHTTPHandler(t.Context())
	require.NoError(t, err)
	handler, err := wrap(t.Context(), http.HandlerFunc(unreliableHandler))
	require.NoError(t, err)
	server := httptest.NewServer(handler)
	defer server.Close()

	body := requests(2000, 0)[0].body(t, false) // half a MiB once decoded
	var clients sync.WaitGroup
	for client := range 8 {
		clients.Go(func() {
			for range 100 {
				sent := body
				if rand.N(4) == 0 {
					sent = body[:len(body)-1] // which cannot be decoded
				}
				ctx, cancel := context.WithCancel(t.Context())
				if rand.N(4) == 0 {
					time.AfterFunc(rand.N(2*time.Millisecond), cancel)
				}
				if client%2 == 0 {
					_ = connection.Invoke(ctx, exportTraces, sent, new([]byte))
				} else {
					post(ctx, t, server.URL+"/v1/traces", sent)
				}
				cancel()
			}
		})
	}
	clients.Wait()
	collectortest.Eventually(t, time.Minute, func() (bool, string) {
		c.mu.Lock()
		defer c.mu.Unlock()
		m.inFlight.mu.Lock()
		defer m.inFlight.mu.Unlock()
		return m.inFlight.sum == 0 && m.inFlight.receiving == 0 && len(c.found) == 0, "something is left"
	})
	assert.Positive(t, m.inFlight.typical, "messages came")
}

// post sends a request and ignores the response.
func post(ctx context.Context, t *testing.T, url string, body []byte) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if !assert.NoError(t, err) {
		return
	}
	request.Header.Set("Content-Type", protobufType)
	if response, err := http.DefaultClient.Do(request); err == nil {
		_ = response.Body.Close()
	}
}

// panics is a codec that panics on each request.
type panics struct{ encoding.CodecV2 }

func (panics) Unmarshal(mem.BufferSlice, any) error { panic("cannot decode") }

func TestReleasedWhenDecodingPanics(t *testing.T) {
	m := created(t, func(*Config) {})
	c := newCodec(m)
	c.CodecV2 = panics{c.CodecV2}
	data := mem.BufferSlice{mem.SliceBuffer(requests(1, 0)[0].body(t, false))}
	type ExportTraceServiceRequest struct{}
	assert.ErrorIs(t, c.Unmarshal(data, &ExportTraceServiceRequest{}), errPanic)
	assert.Zero(t, m.inFlight.total())
	assert.Empty(t, c.found)
}
