// SPDX-License-Identifier: Apache-2.0

package security

import (
	"bytes"
	"io"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
	"google.golang.org/grpc"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
	"github.com/otelcol-tc/otelcol-tc/tests/payload"
)

const (
	streamLimit = 100
	// resets is how many calls a client begins and gives up at once.
	resets = 20000
)

// Every profile bounds the calls of a connection and cuts off clients that ping all the time. A
// client that gives up its calls as fast as it begins them does not keep others from being served.
func TestStreamsAreBounded(t *testing.T) {
	t.Parallel()
	for profile, configs := range profilesThatReceive() {
		t.Run(profile, func(t *testing.T) {
			c := collectortest.Start(t, collectortest.Options{Configs: configs})
			h := dialHTTP2(t, c.GRPC)
			assert.EqualValues(t, streamLimit, h.streams)
			h.beginAndReset(t, resets)
			assert.Equal(t, collectortest.Accepted, collectortest.Post(t, c, "/v1/traces", collectortest.OneSpan(t, func(span ptrace.Span) { span.SetName(payload.PutName) }), ""))
			exportSpan(t, c.GRPC)

			pinging := dialHTTP2(t, c.GRPC)
			assert.Equal(t, http2.ErrCodeEnhanceYourCalm, pinging.pingUntilGone(t))
			assert.True(t, c.Healthy())
		})
	}
}

// exportSpan sends a span over gRPC.
func exportSpan(t *testing.T, address string, options ...grpc.CallOption) {
	t.Helper()
	connection := collectortest.Dial(t, address)
	request := ptraceotlp.NewExportRequest()
	require.NoError(t, request.UnmarshalProto(collectortest.OneSpan(t, func(span ptrace.Span) { span.SetName(payload.PutName) })))
	_, err := ptraceotlp.NewGRPCClient(connection).Export(t.Context(), request, options...)
	require.NoError(t, err)
}

// http2Client speaks HTTP/2 frame by frame.
type http2Client struct {
	conn    net.Conn
	framer  *http2.Framer
	streams uint32 // that the server allows at a time
}

func dialHTTP2(t *testing.T, address string) *http2Client {
	t.Helper()
	conn, err := net.DialTimeout("tcp", address, 10*time.Second)
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() }) // the server may have closed it
	require.NoError(t, conn.SetDeadline(time.Now().Add(time.Minute)))
	_, err = io.WriteString(conn, http2.ClientPreface)
	require.NoError(t, err)
	h := &http2Client{conn: conn, framer: http2.NewFramer(conn, conn)}
	require.NoError(t, h.framer.WriteSettings())
	frame, err := h.framer.ReadFrame()
	require.NoError(t, err)
	settings, ok := frame.(*http2.SettingsFrame)
	require.True(t, ok, "the first frame is %v", frame.Header())
	h.streams, _ = settings.Value(http2.SettingMaxConcurrentStreams)
	require.NoError(t, h.framer.WriteSettingsAck())
	return h
}

// beginAndReset begins calls and gives each up at once, until the server closes the connection or
// there were so many.
func (h *http2Client) beginAndReset(t *testing.T, calls int) {
	t.Helper()
	go func() { _, _ = io.Copy(io.Discard, h.conn) }() // what the server says does not matter
	var block bytes.Buffer
	headers := hpack.NewEncoder(&block)
	for i := range calls {
		block.Reset()
		for _, field := range []hpack.HeaderField{
			{Name: ":method", Value: "POST"}, {Name: ":scheme", Value: "http"}, {Name: ":authority", Value: "collector"},
			{Name: ":path", Value: "/opentelemetry.proto.collector.trace.v1.TraceService/Export"},
			{Name: "content-type", Value: "application/grpc"}, {Name: "te", Value: "trailers"},
		} {
			require.NoError(t, headers.WriteField(field))
		}
		stream := uint32(2*i + 1)
		err := h.framer.WriteHeaders(http2.HeadersFrameParam{StreamID: stream, BlockFragment: block.Bytes(), EndHeaders: true})
		if err == nil {
			err = h.framer.WriteRSTStream(stream, http2.ErrCodeCancel)
		}
		if err != nil {
			return // the server has had enough
		}
	}
}

// pingUntilGone pings until the server ends the connection, and returns its reason.
func (h *http2Client) pingUntilGone(t *testing.T) http2.ErrCode {
	t.Helper()
	go func() {
		for h.framer.WritePing(false, [8]byte{}) == nil {
			time.Sleep(10 * time.Millisecond)
		}
	}()
	for {
		frame, err := h.framer.ReadFrame()
		if err != nil {
			require.NoError(t, err, "the connection ended without a reason")
		}
		if goAway, ok := frame.(*http2.GoAwayFrame); ok {
			return goAway.ErrCode
		}
	}
}
