// SPDX-License-Identifier: Apache-2.0

package rendezvousexporter

import (
	"io"
	"net"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"golang.org/x/net/http2"

	"github.com/otelcol-tc/otelcol-tc/exporter/rendezvousexporter/internal/health"
)

// startResetter starts a proxy that reads each request completely and then resets its stream.
func startResetter(t *testing.T, code http2.ErrCode) (address string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				resetStreams(conn, code)
			}()
		}
	}()
	return listener.Addr().String()
}

// resetStreams is the part of HTTP/2 that a client needs, until the client disconnects.
func resetStreams(conn net.Conn, code http2.ErrCode) {
	if _, err := io.CopyN(io.Discard, conn, int64(len(http2.ClientPreface))); err != nil {
		return
	}
	framer := http2.NewFramer(conn, conn)
	_ = framer.WriteSettings()
	for {
		frame, err := framer.ReadFrame()
		if err != nil {
			return
		}
		switch frame := frame.(type) {
		case *http2.SettingsFrame:
			if !frame.IsAck() {
				_ = framer.WriteSettingsAck()
			}
		case *http2.DataFrame:
			if frame.StreamEnded() {
				_ = framer.WriteRSTStream(frame.StreamID, code)
			}
		}
	}
}

// No gateway has answered, so none has refused the items, whatever code gRPC reports.
func TestVerdictOfAResetStream(t *testing.T) {
	f := func(code http2.ErrCode, want health.Verdict, reason string) {
		t.Helper()
		got := sendOne(t, dial(t, startResetter(t, code), traces), enough)
		require.Error(t, got.Err)
		assert.ErrorContains(t, got.Err, "RST_STREAM")
		got.Err = nil
		assert.Equal(t, health.Reply{Verdict: want, Reason: reason, Unsure: true}, got)
	}
	f(http2.ErrCodeNo, health.Timeout, "Internal")
	f(http2.ErrCodeProtocol, health.Timeout, "Internal")
	f(http2.ErrCodeInternal, health.Timeout, "Internal")
	f(http2.ErrCodeFlowControl, health.Timeout, "ResourceExhausted")
	f(http2.ErrCodeEnhanceYourCalm, health.Timeout, "ResourceExhausted")
	f(http2.ErrCodeCancel, health.Timeout, "Canceled")
	f(http2.ErrCodeRefusedStream, health.Away, "Unavailable")
}

// Items of reset streams are retried at the same gateway, and go to the next gateway if that does not
// help.
func TestResetStreamsLoseNothing(t *testing.T) {
	telemetry := componenttest.NewTelemetry()
	s, resetter := startServer(t, nil), startResetter(t, http2.ErrCodeInternal)
	e := start(t, quick(s.address, resetter), telemetry)
	require.NoError(t, e.ConsumeTraces(t.Context(), batchOf("a", 100)))
	requireSame(t, spanNames(spansOf(batchOf("a", 100))), s.took())
	_, own := shares(100, s.address, resetter)
	failed := counted(t, telemetry, "rendezvous_failed_items", "endpoint", resetter, "cause", "timeout")
	assert.GreaterOrEqual(t, failed, health.MaxTimeouts*own)
	assert.Equal(t, failed, counted(t, telemetry, "rendezvous_unsure_items"))
	assert.Zero(t, counted(t, telemetry, "rendezvous_dropped_items"))
}
