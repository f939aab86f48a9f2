package boundedzstd

import (
	"bytes"
	"encoding/binary"
	"io"
	"runtime"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/encoding"
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
	return io.ReadAll(reader)
}

// frame returns a frame of 128 KiB with a header of its own.
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
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range 100 {
		_, err = decompress(c, frame(windowOf(24)...))
		require.ErrorIs(t, err, zstd.ErrWindowSizeExceeded)
		_, err = decompress(c, frame(windowOf(29)...))
		require.ErrorIs(t, err, zstd.ErrWindowSizeExceeded)
		size := binary.LittleEndian.AppendUint64([]byte{singleSegment | eightBytes}, 1<<32)
		_, err = decompress(c, frame(size...))
		require.ErrorIs(t, err, zstd.ErrDecoderSizeExceeded)
	}
	runtime.ReadMemStats(&after)
	assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(100<<20), "of 300 frames")
}

// What common encoders write is read, whatever was read before by the same decoder.
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

func TestReadAfterTheEnd(t *testing.T) {
	c := registered(t)
	reader, err := c.Decompress(bytes.NewReader(frame(windowOf(20)...)))
	require.NoError(t, err)
	_, err = io.ReadAll(reader)
	require.NoError(t, err)
	n, err := reader.Read(make([]byte, 1))
	assert.Zero(t, n)
	assert.Equal(t, io.EOF, err)
}
