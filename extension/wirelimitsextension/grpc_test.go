// SPDX-License-Identifier: Apache-2.0

package wirelimitsextension

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/collector/pdata/plog/plogotlp"
	"go.opentelemetry.io/collector/pdata/pmetric/pmetricotlp"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

// export sends a request of any signal.
func export(ctx context.Context, connection *grpc.ClientConn, r request, opts ...grpc.CallOption) error {
	var err error
	switch sent := r.otlp.(type) {
	case ptraceotlp.ExportRequest:
		_, err = ptraceotlp.NewGRPCClient(connection).Export(ctx, sent, opts...)
	case pmetricotlp.ExportRequest:
		_, err = pmetricotlp.NewGRPCClient(connection).Export(ctx, sent, opts...)
	case plogotlp.ExportRequest:
		_, err = plogotlp.NewGRPCClient(connection).Export(ctx, sent, opts...)
	}
	return err
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
	assert.Len(t, r.bodies["/v1/traces"], 2)
}

// acceptAll is a service that counts its requests.
type acceptAll struct {
	ptraceotlp.UnimplementedGRPCServer
	calls int
}

func (a *acceptAll) Export(context.Context, ptraceotlp.ExportRequest) (ptraceotlp.ExportResponse, error) {
	a.calls++
	return ptraceotlp.NewExportResponse(), nil
}

// Authentication comes first in the chain. Nothing remains of what it refuses.
func TestRefusedByAuthentication(t *testing.T) {
	m := created(t, func(*Config) {})
	c := newCodec(m)
	deny := func(context.Context, any, *grpc.UnaryServerInfo, grpc.UnaryHandler) (any, error) {
		return nil, status.Error(codes.Unauthenticated, "who are you")
	}
	service := &acceptAll{}
	connection := dial(t, serve(t, c, service, grpc.ChainUnaryInterceptor(deny)))
	for _, r := range []request{requests(1, 200)[0], requests(1, 1)[0]} {
		assert.Equal(t, codes.Unauthenticated, status.Code(export(t.Context(), connection, r)))
	}
	assert.Zero(t, service.calls)
	collectortest.Eventually(t, time.Minute, func() (bool, string) { return m.inFlight.total() == 0, "something is in flight" })
	assert.Empty(t, c.found)
}
