// SPDX-License-Identifier: Apache-2.0

// Package boundedzstd bounds the memory that zstd messages over gRPC take. Register replaces
// the compressor that configgrpc registers.
//
// The header of a zstd frame declares the size of its window, and the decoder allocates the
// window before it reads the content. The decoder of configgrpc allows 512 MiB, and more if a
// frame is a single segment. A message of a few bytes could therefore take that much memory.
package boundedzstd

import (
	"io"
	"sync"

	"github.com/klauspost/compress/zstd"
	_ "go.opentelemetry.io/collector/config/configgrpc" // registers the compressor that Register replaces
	"google.golang.org/grpc/encoding"
)

const name = "zstd"

// maxWindow is the window size in bytes that RFC 8878, section 3.1.1.1.2, recommends that
// decoders support, and encoders do not exceed. It also bounds the content of frames that are a
// single segment.
const maxWindow = 8 << 20

// maxDecoders bounds the messages that are decompressed at a time. Other messages wait for less
// than 0.1 s, because the compressed messages are in memory already.
const maxDecoders = 4

// Register replaces the zstd compressor of gRPC. Call it before any server or client is
// created.
func Register() { encoding.RegisterCompressor(newCompressor(encoding.GetCompressor(name))) }

// compressor compresses as the replaced compressor does. It is safe for concurrent use.
type compressor struct {
	encoding.Compressor
	slots    chan struct{} // has one element for each decoder in use
	decoders sync.Pool     // of *zstd.Decoder
}

func newCompressor(stock encoding.Compressor) *compressor {
	return &compressor{Compressor: stock, slots: make(chan struct{}, maxDecoders)}
}

// Decompress implements encoding.Compressor. gRPC closes what it returns.
func (c *compressor) Decompress(from io.Reader) (io.Reader, error) {
	c.slots <- struct{}{}
	decoder, err := c.decoder(from)
	if err != nil {
		<-c.slots
		return nil, err
	}
	return &message{Decoder: decoder, compressor: c}, nil
}

func (c *compressor) decoder(from io.Reader) (*zstd.Decoder, error) {
	if decoder, ok := c.decoders.Get().(*zstd.Decoder); ok {
		return decoder, decoder.Reset(from)
	}
	return zstd.NewReader(from,
		zstd.WithDecoderMaxWindow(maxWindow),
		zstd.WithDecoderMaxMemory(maxWindow),
		zstd.WithDecoderConcurrency(1), // without goroutines, the garbage collector can free it
		zstd.WithDecoderLowmem(true))
}

// message reads a decompressed message.
type message struct {
	*zstd.Decoder
	compressor *compressor
}

// Close implements io.Closer. It returns the decoder to the pool, and must be called once.
func (m *message) Close() error {
	if err := m.Reset(nil); err == nil { // the decoder must not keep the message in memory
		m.compressor.decoders.Put(m.Decoder)
	}
	m.Decoder = nil
	<-m.compressor.slots
	return nil
}
