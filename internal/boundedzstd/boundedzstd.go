// Package boundedzstd limits what zstd over gRPC may take in memory.
//
// The header of a frame declares how large its window is, and the decoder allocates the
// window before it has read the content. The decoder of configgrpc allows 512 MiB, and
// more where a frame is a single segment, so that a message of a few bytes takes as much.
package boundedzstd

import (
	"io"
	"sync"

	"github.com/klauspost/compress/zstd"
	_ "go.opentelemetry.io/collector/config/configgrpc" // registers the compressor that Register replaces
	"google.golang.org/grpc/encoding"
)

const name = "zstd"

// maxWindow is what RFC 8878 recommends that decoders support, and encoders do not exceed.
// It also limits the content of frames that are a single segment.
const maxWindow = 8 << 20

// maxDecoders is how many messages are decompressed at a time. Others wait for less than a
// tenth of a second, because all that is left to do is in memory.
const maxDecoders = 4

// Register replaces the zstd compressor of gRPC. It must be called before any server or
// client is created.
func Register() { encoding.RegisterCompressor(newCompressor(encoding.GetCompressor(name))) }

// compressor compresses like the one that it replaces. It is safe for concurrent use.
type compressor struct {
	encoding.Compressor
	turns    chan struct{} // has one element for each decoder in use
	decoders sync.Pool     // of *zstd.Decoder
}

func newCompressor(stock encoding.Compressor) *compressor {
	return &compressor{Compressor: stock, turns: make(chan struct{}, maxDecoders)}
}

// Decompress implements encoding.Compressor. gRPC closes what it returns.
func (c *compressor) Decompress(from io.Reader) (io.Reader, error) {
	c.turns <- struct{}{}
	decoder, err := c.decoder(from)
	if err != nil {
		<-c.turns
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
		zstd.WithDecoderConcurrency(1), // no goroutines, so that the garbage collector can free it
		zstd.WithDecoderLowmem(true))
}

// message reads a decompressed message.
type message struct {
	*zstd.Decoder
	compressor *compressor
}

// Close implements io.Closer. It gives the decoder back, and must be called once.
func (m *message) Close() error {
	if err := m.Reset(nil); err == nil { // it must not hold the message
		m.compressor.decoders.Put(m.Decoder)
	}
	m.Decoder = nil
	<-m.compressor.turns
	return nil
}
