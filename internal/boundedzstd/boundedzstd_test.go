// SPDX-License-Identifier: Apache-2.0

package boundedzstd

import (
	"bytes"
	"context"
	"encoding/binary"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/status"
)

func registered(t testing.TB) encoding.Compressor {
	t.Helper()
	Register()
	c := encoding.GetCompressor(name)
	require.IsType(t, &compressor{}, c)
	return c
}

func decompress(c encoding.Compressor, content []byte) ([]byte, error) {
	reader, err := c.Decompress(bytes.NewReader(content))
	if err != nil {
		return nil, err
	}
	defer reader.(io.Closer).Close()
	return io.ReadAll(reader)
}

// frame returns a frame of 128 KiB with the given header.
func frame(header ...byte) []byte {
	const size, repeated, last = 128 << 10, 1, 1
	block := binary.LittleEndian.AppendUint32(nil, size<<3|repeated<<1|last)
	return append(append(append([]byte{0x28, 0xb5, 0x2f, 0xfd}, header...), block[:3]...), '\n')
}

// windowOf returns the header of a frame that declares a window of 2^log bytes.
func windowOf(log byte) []byte { return []byte{0, (log - 10) << 3} }

func TestWindows(t *testing.T) {
	c := registered(t)
	content, err := decompress(c, frame(windowOf(23)...))
	require.NoError(t, err)
	assert.Len(t, content, 128<<10)

	const singleSegment, eightBytes = 1 << 5, 3 << 6
	for _, log := range []byte{24, 29} {
		_, err = decompress(c, frame(windowOf(log)...))
		require.ErrorIs(t, err, zstd.ErrWindowSizeExceeded)
	}
	size := binary.LittleEndian.AppendUint64([]byte{singleSegment | eightBytes}, 1<<32)
	_, err = decompress(c, frame(size...))
	require.ErrorIs(t, err, zstd.ErrDecoderSizeExceeded)
}

// Messages of common encoders can be decompressed, whatever the decoder decompressed before.
func TestRoundTrips(t *testing.T) {
	c := registered(t)
	content := bytes.Repeat([]byte("Store/Put 8f3a "), 7<<20/15)
	for range 3 {
		var compressed bytes.Buffer
		w, err := c.Compress(&compressed)
		require.NoError(t, err)
		_, err = w.Write(content)
		require.NoError(t, err)
		require.NoError(t, w.Close())
		got, err := decompress(c, compressed.Bytes())
		require.NoError(t, err)
		assert.True(t, bytes.Equal(content, got))

		_, err = decompress(c, compressed.Bytes()[:compressed.Len()/2])
		assert.ErrorIs(t, err, io.ErrUnexpectedEOF)
		_, err = decompress(c, []byte("not zstd"))
		assert.ErrorIs(t, err, zstd.ErrMagicMismatch)
	}
	for _, level := range []zstd.EncoderLevel{zstd.SpeedFastest, zstd.SpeedDefault, zstd.SpeedBetterCompression, zstd.SpeedBestCompression} {
		encoder, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(level))
		require.NoError(t, err)
		got, err := decompress(c, encoder.EncodeAll(content, nil))
		require.NoError(t, err, level)
		assert.True(t, bytes.Equal(content, got), level)
	}
}

// acceptAll accepts every request.
type acceptAll struct {
	ptraceotlp.UnimplementedGRPCServer
}

func (*acceptAll) Export(context.Context, ptraceotlp.ExportRequest) (ptraceotlp.ExportResponse, error) {
	return ptraceotlp.NewExportResponse(), nil
}

// Every decoder is returned, however a call ends: more calls than decoders succeed.
func TestDecodersAreReturned(t *testing.T) {
	c := registered(t).(*compressor)
	server := grpc.NewServer(grpc.MaxRecvMsgSize(64 << 10))
	ptraceotlp.RegisterGRPCServer(server, &acceptAll{})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	go server.Serve(listener) //nolint:errcheck // it ends with Stop
	defer server.Stop()
	connection, err := grpc.NewClient(listener.Addr().String(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	require.NoError(t, err)
	defer connection.Close()
	export := func(span string) codes.Code {
		traces := ptrace.NewTraces()
		traces.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans().AppendEmpty().SetName(span)
		_, err := ptraceotlp.NewGRPCClient(connection).Export(t.Context(),
			ptraceotlp.NewExportRequestFromTraces(traces), grpc.UseCompressor(name))
		return status.Code(err)
	}
	for range 3 * maxDecoders {
		assert.Equal(t, codes.OK, export("Store/Put"))
		assert.Equal(t, codes.ResourceExhausted, export(strings.Repeat("8f3a", 64<<10)), "it is not read to its end")
	}
	server.GracefulStop()
	assert.Empty(t, c.slots)
}

// At most maxDecoders decoders work at a time.
func TestDecodersAreLimited(t *testing.T) {
	c := registered(t)
	var open []io.Reader
	for range maxDecoders {
		reader, err := c.Decompress(bytes.NewReader(frame(windowOf(20)...)))
		require.NoError(t, err)
		open = append(open, reader)
	}
	next := make(chan error, 1)
	go func() {
		_, err := decompress(c, frame(windowOf(20)...))
		next <- err
	}()
	select {
	case err := <-next:
		t.Fatal("it did not wait:", err)
	case <-time.After(50 * time.Millisecond):
	}
	for _, reader := range open {
		closer, ok := reader.(io.Closer)
		require.True(t, ok)
		require.NoError(t, closer.Close())
	}
	assert.NoError(t, <-next)
}
