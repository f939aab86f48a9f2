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

// Register replaces the zstd compressor of gRPC. It must be called before any server or
// client is created.
func Register() {
	encoding.RegisterCompressor(&compressor{Compressor: encoding.GetCompressor(name)})
}

// compressor compresses like the one that it replaces. It is safe for concurrent use.
type compressor struct {
	encoding.Compressor
	decoders sync.Pool // of *zstd.Decoder
}

// Decompress implements encoding.Compressor.
func (c *compressor) Decompress(from io.Reader) (io.Reader, error) {
	decoder, ok := c.decoders.Get().(*zstd.Decoder)
	if ok {
		if err := decoder.Reset(from); err != nil {
			return nil, err
		}
	} else {
		var err error
		decoder, err = zstd.NewReader(from,
			zstd.WithDecoderMaxWindow(maxWindow),
			zstd.WithDecoderMaxMemory(maxWindow),
			zstd.WithDecoderConcurrency(1), // no goroutines, so that nothing needs to be closed
			zstd.WithDecoderLowmem(true))
		if err != nil {
			return nil, err
		}
	}
	return &message{decoder: decoder, pool: &c.decoders}, nil
}

// message reads a decompressed message. Its decoder returns to the pool at the end or at an
// error. A reader that stops before that leaves the decoder to the garbage collector.
type message struct {
	decoder *zstd.Decoder // nil after the end
	err     error         // what ended it
	pool    *sync.Pool
}

// Read implements io.Reader.
func (m *message) Read(p []byte) (int, error) {
	if m.decoder == nil {
		return 0, m.err
	}
	n, err := m.decoder.Read(p)
	if err != nil {
		if m.decoder.Reset(nil) == nil { // it must not hold the message
			m.pool.Put(m.decoder)
		}
		m.decoder, m.err = nil, err
	}
	return n, err
}
