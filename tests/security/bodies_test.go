// SPDX-License-Identifier: Apache-2.0

package security

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"fmt"
	"io"
	"slices"
	"testing"
	"time"

	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	grpcgzip "google.golang.org/grpc/encoding/gzip"
	"google.golang.org/grpc/status"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
	"github.com/otelcol-tc/otelcol-tc/tests/payload"
)

// bombSize is what bombs grow to: far more than the collector may take by them.
const bombSize = 256 * collectortest.MiB

// bombs are small bodies that decompress to bombSize, by Content-Encoding.
func bombs(t *testing.T) map[string][]byte {
	t.Helper()
	writers := map[string]func(io.Writer) io.WriteCloser{
		"gzip":            func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) },
		"deflate":         func(w io.Writer) io.WriteCloser { return zlib.NewWriter(w) },
		"zlib":            func(w io.Writer) io.WriteCloser { return zlib.NewWriter(w) },
		"lz4":             func(w io.Writer) io.WriteCloser { return lz4.NewWriter(w) },
		"x-snappy-framed": func(w io.Writer) io.WriteCloser { return snappy.NewBufferedWriter(w) },
		"zstd": func(w io.Writer) io.WriteCloser {
			encoder, err := zstd.NewWriter(w)
			require.NoError(t, err)
			return encoder
		},
	}
	all, zeros := map[string][]byte{}, make([]byte, collectortest.MiB)
	for encoding, open := range writers {
		var bomb bytes.Buffer
		writer := open(&bomb)
		for range bombSize / collectortest.MiB {
			_, err := writer.Write(zeros)
			require.NoError(t, err)
		}
		require.NoError(t, writer.Close())
		all[encoding] = bomb.Bytes()
	}
	// The block format says first what it decompresses to.
	all["snappy"] = snappy.Encode(nil, make([]byte, bombSize))
	return all
}

// profilesThatReceive are those that take OTLP, on any machine.
func profilesThatReceive() map[string][]string {
	return map[string][]string{"dev": {"builtin:dev"}, "agent": collectortest.WithFragments("agent-host"), "gateway": {"builtin:gateway"}}
}

// Bodies that are too large, before or after decompression, are refused by every profile, and by
// either protocol, at no cost in memory; what is sent after them is taken.
func TestLargeBodiesAreRefused(t *testing.T) {
	t.Parallel()
	all := bombs(t)
	for profile, configs := range profilesThatReceive() {
		t.Run(profile, func(t *testing.T) {
			// A busy machine needs more than the profile's 4 s to send the largest body.
			c := collectortest.Start(t, collectortest.Options{Configs: append(slices.Clip(configs),
				"yaml:{extensions: {wire_limits: {read_timeout: 1m}}, receivers: {otlp: {protocols: {http: {read_timeout: 1m}}}}}")})
			c.ResetPeakRSS(t)
			for encoding, bomb := range all {
				sent := time.Now()
				assert.Equal(t, collectortest.Refused, collectortest.Post(t, c, "/v1/traces", bomb, encoding), encoding)
				collectortest.Within(t, time.Since(sent), 10*time.Second, encoding)
			}
			assert.Equal(t, collectortest.Refused, collectortest.Post(t, c, "/v1/traces", make([]byte, 25*collectortest.MiB), ""))
			assert.Equal(t, collectortest.Refused, collectortest.Post(t, c, "/v1/traces", all["gzip"], "br"), "an encoding that it does not know")
			nested := payload.NestedValues(20_000)
			assert.Equal(t, collectortest.Refused, collectortest.Post(t, c, "/v1/traces", nested, ""), "values nested too deep")
			assert.Equal(t, codes.InvalidArgument, collectortest.DialRaw(t, c).ExportRaw(t, nested), "values nested too deep")
			for _, options := range [][]grpc.CallOption{nil, {grpc.UseCompressor(grpcgzip.Name)}} {
				err := exportLarge(t, c.GRPC, options...)
				assert.Equal(t, codes.ResourceExhausted, status.Code(err), err)
			}
			c.PeakRSSWithin(t, collectortest.MemoryBound)
			assert.Equal(t, collectortest.Accepted, collectortest.Post(t, c, "/v1/traces", collectortest.OneSpan(t, func(span ptrace.Span) { span.SetName(payload.PutName) }), ""))
		})
	}
}

// exportLarge sends 64 MiB that compress well.
func exportLarge(t *testing.T, address string, options ...grpc.CallOption) error {
	t.Helper()
	connection := collectortest.Dial(t, address)
	traces := ptrace.NewTraces()
	span := traces.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans().AppendEmpty()
	span.Attributes().PutEmptyBytes("tc.big").FromRaw(make([]byte, 64*collectortest.MiB))
	_, err := ptraceotlp.NewGRPCClient(connection).Export(t.Context(), ptraceotlp.NewExportRequestFromTraces(traces), options...)
	if err == nil {
		return fmt.Errorf("64 MiB were accepted at %s", address)
	}
	return err
}
