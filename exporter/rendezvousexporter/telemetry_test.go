// SPDX-License-Identifier: Apache-2.0

package rendezvousexporter

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
	"google.golang.org/grpc/codes"

	"github.com/otelcol-tc/otelcol-tc/tests/owntelemetry"
)

// counted sums a metric's points that have these label values. It is one of this exporter's or of a library's.
func counted(t *testing.T, telemetry *componenttest.Telemetry, name string, labels ...string) int64 {
	t.Helper()
	if own := "otelcol_" + name; owntelemetry.Points(telemetry, own) != nil {
		name = own
	}
	return owntelemetry.Sum(telemetry, name, labels...)
}

// shares returns how many of n spans belong to each of two endpoints.
func shares(n int, one, two string) (ofOne, ofTwo int64) {
	for _, span := range spansOf(batchOf("a", n)) {
		if own(span.TraceID(), []string{one, two}) == one {
			ofOne++
		}
	}
	return ofOne, int64(n) - ofOne
}

// The exporter's own counters have the outcome of each item. The stock counters know only whole batches.
func TestCountersOfALossInPart(t *testing.T) {
	telemetry := componenttest.NewTelemetry()
	one, two := startServer(t, nil), startServer(t, failing(codes.InvalidArgument))
	e := start(t, quick(one.address, two.address), telemetry)
	err := e.ConsumeTraces(t.Context(), batchOf("a", 200))
	sent, refused := shares(200, one.address, two.address)
	assert.Len(t, left(t, err), int(refused))
	assert.Equal(t, sent, counted(t, telemetry, "rendezvous_sent_items", "endpoint", one.address, "signal", "traces"))
	assert.Equal(t, refused, counted(t, telemetry, "rendezvous_failed_items", "endpoint", two.address, "cause", "refused"))
	assert.Equal(t, int64(200), counted(t, telemetry, "exporter_send_failed_spans"), "including spans that were sent")
	assert.Equal(t, int64(2), counted(t, telemetry, "rendezvous_endpoints"))
	assert.Zero(t, counted(t, telemetry, "rendezvous_avoided_endpoints"))
}

func TestCountersOfRetriesThatEnd(t *testing.T) {
	telemetry := componenttest.NewTelemetry()
	one, two := startServer(t, nil), startServer(t, failing(codes.Unavailable))
	cfg := quick(one.address, two.address)
	cfg.RetryOnFailure.MaxElapsedTime = patience
	require.Error(t, start(t, cfg, telemetry).ConsumeTraces(t.Context(), batchOf("a", 200)))
	sent, lost := shares(200, one.address, two.address)
	assert.Equal(t, sent, counted(t, telemetry, "rendezvous_sent_items"))
	assert.Equal(t, lost*int64(two.tried()), counted(t, telemetry, "rendezvous_failed_items", "endpoint", two.address, "cause", "busy"))
	assert.Equal(t, int64(200), counted(t, telemetry, "exporter_send_failed_spans"), "including spans that were sent")
	assert.Zero(t, counted(t, telemetry, "exporter_sent_spans"))
}

func TestCountersOfPartialSuccess(t *testing.T) {
	telemetry := componenttest.NewTelemetry()
	var rejected int64
	s := startServer(t, func(context.Context) (ptraceotlp.ExportResponse, error) {
		response := ptraceotlp.NewExportResponse()
		response.PartialSuccess().SetRejectedSpans(rejected)
		return response, nil
	})
	e := start(t, quick(s.address), telemetry)
	// The last two values are invalid.
	for _, rejected = range []int64{0, 2, 1 << 40, -1} {
		require.NoError(t, e.ConsumeTraces(t.Context(), batchOf("a", 5)))
	}
	assert.Equal(t, int64(5+3+0+5), counted(t, telemetry, "rendezvous_sent_items"))
	assert.Equal(t, int64(0+2+5+0), counted(t, telemetry, "rendezvous_dropped_items", "reason", "partial_success"))
}

// The exporter starts without known endpoints, the data waits, and the failed look-ups are counted.
func TestNameWithoutAddresses(t *testing.T) {
	telemetry := componenttest.NewTelemetry()
	cfg := quick()
	cfg.DNS.Hostname = "gateway.invalid"
	cfg.RetryOnFailure.Enabled = false
	err := start(t, cfg, telemetry).ConsumeTraces(t.Context(), batchOf("a", 5))
	require.ErrorIs(t, err, errNoEndpoint)
	assert.False(t, consumererror.IsPermanent(err))
	assert.NotZero(t, counted(t, telemetry, "rendezvous_lookup_failures"))
	assert.Zero(t, counted(t, telemetry, "rendezvous_endpoints"))
}
