// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"testing"

	"github.com/golang/snappy"
	fastgzip "github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"
)

// compressor writes compressed data, and is used again.
type compressor interface {
	io.WriteCloser
	Reset(to io.Writer)
}

func must[T compressor](c T, err error) compressor {
	if err != nil {
		panic(err)
	}
	return c
}

// BenchmarkCompression compresses what a gateway gets, in batches of three requests. It reports the CPU time of an item
// and how much smaller the batch becomes. gzip, zstd and snappy are what the exporters of the profiles can use;
// confighttp has no setting for another implementation of gzip.
func BenchmarkCompression(b *testing.B) {
	loads, err := profileLoads(b.Context())
	require.NoError(b, err)
	for _, l := range loads[len(loads)-3:] {
		var body []byte
		r := newRequest(l.load.(otlpLoad).request, 0)
		for range 3 {
			body = append(body, r.next()...)
		}
		for _, of := range []struct {
			name string
			with compressor
		}{
			{"gzip level 6", must(gzip.NewWriterLevel(nil, 6))},
			{"gzip level 1", must(gzip.NewWriterLevel(nil, 1))},
			{"gzip level 1 of klauspost", must(fastgzip.NewWriterLevel(nil, 1))},
			{"zstd level 1", must(zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest)))},
			{"zstd level 3", must(zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1)))},
			{"snappy", snappy.NewBufferedWriter(nil)},
		} {
			b.Run(fmt.Sprintf("%s/%s", l.load.(otlpLoad).signal, of.name), func(b *testing.B) {
				var to bytes.Buffer
				for b.Loop() {
					to.Reset()
					of.with.Reset(&to)
					_, err := of.with.Write(body)
					require.NoError(b, err)
					require.NoError(b, of.with.Close())
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(3*l.items), "ns/item")
				b.ReportMetric(float64(len(body))/float64(to.Len()), "ratio")
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}
