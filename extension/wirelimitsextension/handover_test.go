// SPDX-License-Identifier: Apache-2.0

package wirelimitsextension

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

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
