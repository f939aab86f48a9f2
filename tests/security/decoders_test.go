// SPDX-License-Identifier: Apache-2.0

package security

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"os"
	"testing"
	"time"

	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	_ "github.com/otelcol-tc/otelcol-tc/internal/boundedzstd" // so that clients have a zstd compressor
	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
	"github.com/otelcol-tc/otelcol-tc/tests/payload"
)

// zstdFrame is 128 KiB in a few bytes, with a header of its own.
func zstdFrame(header ...byte) []byte {
	const size, repeated, last = 128 << 10, 1, 1
	block := binary.LittleEndian.AppendUint32(nil, size<<3|repeated<<1|last)
	return append(append(append([]byte{0x28, 0xb5, 0x2f, 0xfd}, header...), block[:3]...), '\n')
}

// hugeWindows are frames that declare a window of 512 MiB, and a single segment of 4 GiB.
func hugeWindows() [][]byte {
	return [][]byte{
		zstdFrame(0, (29-10)<<3),
		zstdFrame(binary.LittleEndian.AppendUint64([]byte{3<<6 | 1<<5}, 4<<30)...),
	}
}

// zstdAsIs sends as zstd what is compressed already.
type zstdAsIs struct{}

func (zstdAsIs) Type() string { return "zstd" }

func (zstdAsIs) Do(w io.Writer, content []byte) error {
	_, err := w.Write(content)
	return err
}

// Frames of a few bytes that declare a huge window take no memory, by either protocol.
func TestZstdWindowsAreBounded(t *testing.T) {
	t.Parallel()
	for profile, configs := range profilesThatReceive() {
		t.Run(profile, func(t *testing.T) {
			c := collectortest.Start(t, collectortest.Options{Configs: configs})
			c.ResetPeakRSS(t)
			raw := collectortest.DialRaw(t, c, grpc.WithCompressor(zstdAsIs{})) //nolint:staticcheck // the only one for a single client
			for _, frame := range hugeWindows() {
				for range 30 {
					err := raw.Connection.Invoke(t.Context(), collectortest.ExportMethod, &frame, new([]byte))
					assert.Equal(t, codes.Internal, status.Code(err), err)
					assert.ErrorContains(t, err, "failed to read decompressed data", "not decoded")
					assert.Equal(t, collectortest.Refused, collectortest.Post(t, c, "/v1/traces", frame, "zstd"))
				}
			}
			span := collectortest.OneSpan(t, func(span ptrace.Span) { span.SetName(payload.PutName) })
			encoder, err := zstd.NewWriter(nil)
			require.NoError(t, err)
			assert.Equal(t, collectortest.Refused, collectortest.Post(t, c, "/v1/traces", encoder.EncodeAll(span, nil), "zstd"), "whatever it declares")
			assert.Equal(t, collectortest.Refused, collectortest.Post(t, c, "/v1/traces", snappy.Encode(nil, span), "snappy"))
			assert.Equal(t, collectortest.Accepted, collectortest.Post(t, c, "/v1/traces", span, ""))
			exportSpan(t, c.GRPC)
			exportSpan(t, c.GRPC, grpc.UseCompressor("zstd"))
			c.PeakRSSWithin(t, collectortest.MemoryBound)
		})
	}
}

// A block of headers that says the same thing again and again ends the call or its
// connection, and others are served.
func TestHeaderListsAreBounded(t *testing.T) {
	t.Parallel()
	for profile, configs := range profilesThatReceive() {
		t.Run(profile, func(t *testing.T) {
			c := collectortest.Start(t, collectortest.Options{Configs: configs})
			c.ResetPeakRSS(t)
			for range 20 {
				h := dialHTTP2(t, c.GRPC)
				h.repeatHeader(t, 400_000)
				_, err := io.Copy(io.Discard, h.conn) // until the server closes the connection
				assert.NotErrorIs(t, err, os.ErrDeadlineExceeded)
			}
			exportSpan(t, c.GRPC)
			c.PeakRSSWithin(t, collectortest.MemoryBound)
		})
	}
}

// repeatHeader begins a call that has one header as many times, of one byte each.
func (h *http2Client) repeatHeader(t *testing.T, times int) {
	t.Helper()
	var block bytes.Buffer
	headers := hpack.NewEncoder(&block)
	for _, field := range []hpack.HeaderField{
		{Name: ":method", Value: "POST"}, {Name: ":scheme", Value: "http"}, {Name: ":authority", Value: "collector"},
		{Name: ":path", Value: collectortest.ExportMethod}, {Name: "content-type", Value: "application/grpc"}, {Name: "a", Value: "b"},
	} {
		require.NoError(t, headers.WriteField(field))
	}
	const newestEntry, frameSize = 0x80 | 62, 16 << 10
	left := append(block.Bytes(), bytes.Repeat([]byte{newestEntry}, times)...)
	err := h.framer.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: left[:frameSize]})
	for left = left[frameSize:]; err == nil && len(left) > 0; {
		n := min(frameSize, len(left))
		err = h.framer.WriteContinuation(1, n == len(left), left[:n])
		left = left[n:]
	} // an error is of a connection that the server has closed
}

// A client on a slow line is told to come again, so that it keeps its data.
func TestSlowBodiesComeAgain(t *testing.T) {
	t.Parallel()
	for profile, configs := range profilesThatReceive() {
		t.Run(profile, func(t *testing.T) {
			c := collectortest.Start(t, collectortest.Options{Configs: append(configs,
				"yaml:receivers: {otlp: {protocols: {http: {read_timeout: 1s}}}}")})
			half := []byte(`{"resourceSpans":[`)
			for compression, sent := range map[string][]byte{"": half, "gzip": zip(t, half)} {
				connection, err := net.Dial("tcp", c.HTTP)
				require.NoError(t, err)
				defer connection.Close()
				require.NoError(t, connection.SetReadDeadline(time.Now().Add(time.Minute)))
				_, err = fmt.Fprintf(connection, "POST /v1/traces HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\n"+
					"Content-Encoding: %s\r\nContent-Length: 1000\r\n\r\n%s", c.HTTP, compression, sent[:len(sent)-8])
				require.NoError(t, err)
				answer, err := io.ReadAll(connection)
				require.NoError(t, err)
				assert.True(t, bytes.HasPrefix(answer, []byte("HTTP/1.1 503 ")), "%s: %s", compression, answer)
				assert.Contains(t, string(answer), "\r\nRetry-After: 1\r\n")
			}
			assert.Equal(t, 2.0, refusedOnWire(t, c, "read_timeout", "http"))
			assert.Zero(t, collectortest.InFlight(t, c))
		})
	}
}
