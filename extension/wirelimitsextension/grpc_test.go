// SPDX-License-Identifier: Apache-2.0

package wirelimitsextension

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/plog/plogotlp"
	"go.opentelemetry.io/collector/pdata/pmetric/pmetricotlp"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/encoding/gzip"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
)

// export sends a request of any signal.
func export(ctx context.Context, connection *grpc.ClientConn, r request, opts ...grpc.CallOption) error {
	var err error
	switch r.path {
	case "/v1/traces":
		_, err = ptraceotlp.NewGRPCClient(connection).Export(ctx, r.traces, opts...)
	case "/v1/metrics":
		_, err = pmetricotlp.NewGRPCClient(connection).Export(ctx, r.metrics, opts...)
	case "/v1/logs":
		_, err = plogotlp.NewGRPCClient(connection).Export(ctx, r.logs, opts...)
	}
	return err
}

func TestGRPC(t *testing.T) {
	r := newRig(t, func(c *Config) { c.MaxDecodedMib = 1 })
	connection := dial(t, r.grpc)
	want := map[string]int64{}
	f := func(name string, all []request, rule, answer string) {
		for _, request := range all {
			for compression, opts := range map[string][]grpc.CallOption{"": nil, "gzip": {grpc.UseCompressor(gzip.Name)}} {
				t.Run(name+request.path+" "+compression, func(t *testing.T) {
					sent := request.body(t, false)
					err := export(t.Context(), connection, request, opts...)
					arrived := r.arrived(t, request.path)
					if rule == "" {
						assert.NoError(t, err)
						assert.Equal(t, sent, arrived, "byte for byte")
						return
					}
					want[rule+" grpc"]++
					assert.Equal(t, codes.InvalidArgument, status.Code(err))
					assert.Equal(t, answer, status.Convert(err).Message())
					assert.Nil(t, arrived)
				})
			}
		}
	}
	f("fine", requests(100, 43), "", "")
	f("deep", requests(1, 50), "max_depth", "max_depth: messages must not be nested deeper than 95")
	f("large", requests(20_000, 0), "max_decoded_mib", "max_decoded_mib: a request must not take more than 1 MiB once decoded")
	f("fine again", requests(100, 43), "", "")
	assert.Equal(t, want, r.refused(t))
	require.Equal(t, 1, r.logged.Len())
	assert.Contains(t, r.logged.All()[0].ContextMap()["client"], "127.0.0.1:")
}

// Headers with tokens and those that proxies add are accepted. Larger ones are refused before
// they are decoded.
func TestHeaders(t *testing.T) {
	r := newRig(t, func(*Config) {})
	connection := dial(t, r.grpc)
	small := requests(1, 0)[0]
	with := func(size int) context.Context {
		return metadata.AppendToOutgoingContext(t.Context(), "authorization", "Bearer "+strings.Repeat("8f3a", size/4))
	}
	assert.NoError(t, export(with(16<<10), connection, small))
	assert.Error(t, export(with(maxHeaderList), connection, small))
	assert.NoError(t, export(with(16<<10), connection, small))
	assert.Len(t, r.traces.AllTraces(), 2)
}

// Permanently refused messages do not change the typical length.
func TestRefusedMessagesKeepTypicalLength(t *testing.T) {
	m := created(t, func(c *Config) { c.MaxDecodedMib = 1 })
	connection := dial(t, serve(t, newCodec(m), &acceptAll{}))
	usual := func() int {
		m.inFlight.mu.Lock()
		defer m.inFlight.mu.Unlock()
		return m.inFlight.typical
	}
	for range typicalOver {
		assert.Equal(t, codes.InvalidArgument, status.Code(export(t.Context(), connection, requests(20_000, 0)[0])))
	}
	assert.Zero(t, usual())
	assert.NoError(t, export(t.Context(), connection, requests(10, 0)[0]))
	assert.Positive(t, usual())
}
