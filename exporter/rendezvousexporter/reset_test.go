// SPDX-License-Identifier: Apache-2.0

package rendezvousexporter

import (
	"encoding/binary"
	"io"
	"net"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"

	"github.com/otelcol-tc/otelcol-tc/exporter/rendezvousexporter/internal/health"
)

// HTTP/2 error codes that proxies reset streams with.
const (
	noError          = 0x0
	protocolError    = 0x1
	internalError    = 0x2
	flowControlError = 0x3
	refusedStream    = 0x7
	cancel           = 0x8
	enhanceYourCalm  = 0xb
)

// startResetter starts a proxy that reads each request completely and then resets its stream.
func startResetter(t *testing.T, code uint32) (address string) {
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

// resetStreams implements the part of HTTP/2 that a client needs, until the client disconnects.
func resetStreams(conn net.Conn, code uint32) {
	const data, resetStream, settings, endStream, ack = 0x0, 0x3, 0x4, 0x1, 0x1
	write := func(kind, flags byte, stream uint32, payload []byte) {
		frame := []byte{0, 0, byte(len(payload)), kind, flags}
		frame = binary.BigEndian.AppendUint32(frame, stream)
		_, _ = conn.Write(append(frame, payload...))
	}
	write(settings, 0, 0, nil)
	if _, err := io.CopyN(io.Discard, conn, int64(len("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"))); err != nil {
		return
	}
	for {
		var header [9]byte
		if _, err := io.ReadFull(conn, header[:]); err != nil {
			return
		}
		length := binary.BigEndian.Uint32(header[:4]) >> 8
		if _, err := io.CopyN(io.Discard, conn, int64(length)); err != nil {
			return
		}
		kind, flags, stream := header[3], header[4], binary.BigEndian.Uint32(header[5:])
		switch {
		case kind == settings && flags&ack == 0:
			write(settings, ack, 0, nil)
		case kind == data && flags&endStream != 0:
			write(resetStream, 0, stream, binary.BigEndian.AppendUint32(nil, code))
		}
	}
}

// No gateway has answered, so none has refused the items, whatever code gRPC reports.
func TestVerdictOfAResetStream(t *testing.T) {
	f := func(code uint32, want health.Verdict, reason string) {
		t.Helper()
		got := sendOne(t, dial(t, startResetter(t, code), traces), enough)
		require.Error(t, got.Err)
		assert.ErrorContains(t, got.Err, "RST_STREAM")
		got.Err = nil
		assert.Equal(t, health.Reply{Verdict: want, Reason: reason, Unsure: true}, got)
	}
	f(noError, health.Timeout, "Internal")
	f(protocolError, health.Timeout, "Internal")
	f(internalError, health.Timeout, "Internal")
	f(flowControlError, health.Timeout, "ResourceExhausted")
	f(enhanceYourCalm, health.Timeout, "ResourceExhausted")
	f(cancel, health.Timeout, "Canceled")
	f(refusedStream, health.Away, "Unavailable")
}

// Items of reset streams are retried at the same gateway, and go to the next gateway if that does not
// help.
func TestResetStreamsLoseNothing(t *testing.T) {
	telemetry := componenttest.NewTelemetry()
	s, resetter := startServer(t, nil), startResetter(t, internalError)
	e := start(t, quick(s.address, resetter), telemetry)
	require.NoError(t, e.ConsumeTraces(t.Context(), batchOf("a", 100)))
	requireSame(t, spanNames(spansOf(batchOf("a", 100))), s.took())
	_, own := shares(100, s.address, resetter)
	failed := counted(t, telemetry, "rendezvous_failed_items", "endpoint", resetter, "cause", "timeout")
	assert.GreaterOrEqual(t, failed, health.MaxTimeouts*own)
	assert.Equal(t, failed, counted(t, telemetry, "rendezvous_unsure_items"))
	assert.Zero(t, counted(t, telemetry, "rendezvous_dropped_items"))
}
