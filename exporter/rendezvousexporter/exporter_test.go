// SPDX-License-Identifier: Apache-2.0

package rendezvousexporter

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/config/configoptional"
	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/exporter"
	"go.opentelemetry.io/collector/exporter/exporterhelper"
	"go.opentelemetry.io/collector/exporter/exportertest"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/pmetric/pmetricotlp"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/otelcol-tc/otelcol-tc/exporter/rendezvousexporter/internal/metadata"
	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
	"github.com/otelcol-tc/otelcol-tc/tests/configtest"
	"github.com/otelcol-tc/otelcol-tc/tests/owntelemetry"
)

// quick returns a configuration with short waits and no queue, so that callers see the endpoints' answers.
func quick(endpoints ...string) *Config {
	cfg := plainText(endpoints...)
	cfg.SendingQueue = configoptional.None[exporterhelper.QueueBatchConfig]()
	cfg.RetryOnFailure.InitialInterval = 10 * time.Millisecond
	cfg.RetryOnFailure.MaxInterval = 20 * time.Millisecond
	cfg.Timeout = enough
	return cfg
}

func start(t *testing.T, cfg *Config, telemetry *componenttest.Telemetry) exporter.Traces {
	t.Helper()
	set := exportertest.NewNopSettings(metadata.Type)
	if telemetry != nil {
		set.TelemetrySettings = telemetry.NewTelemetrySettings()
	}
	e, err := NewFactory().CreateTraces(t.Context(), set, cfg)
	require.NoError(t, err)
	require.NoError(t, e.Start(t.Context(), componenttest.NewNopHost()))
	t.Cleanup(func() { require.NoError(t, e.Shutdown(context.Background())) })
	return e
}

// answers returns the given answers one after the other, and then accepts everything.
func answers(all ...func(context.Context) (ptraceotlp.ExportResponse, error)) func(context.Context) (ptraceotlp.ExportResponse, error) {
	var next atomic.Int32
	return func(ctx context.Context) (ptraceotlp.ExportResponse, error) {
		if i := int(next.Add(1)) - 1; i < len(all) {
			return all[i](ctx)
		}
		return ptraceotlp.NewExportResponse(), nil
	}
}

// exporterhelper retries exactly the data that failed.
func TestRetriesOnlyWhatFailed(t *testing.T) {
	one := startServer(t, nil)
	two := startServer(t, answers(failing(codes.Unavailable), failing(codes.Aborted), failing(codes.ResourceExhausted, &errdetails.RetryInfo{})))
	e := start(t, quick(one.address, two.address), nil)
	require.NoError(t, e.ConsumeTraces(t.Context(), batchOf("a", 200)))
	assert.Equal(t, 1, one.tried())
	assert.Equal(t, 4, two.tried())
	requireSame(t, spanNames(spansOf(batchOf("a", 200))), slices.Concat(one.took(), two.took()))
}

// Without retries, the caller gets the data that failed.
func TestWithoutRetriesTheRestIsReturned(t *testing.T) {
	one, two := startServer(t, nil), startServer(t, failing(codes.Unavailable))
	cfg := quick(one.address, two.address)
	cfg.RetryOnFailure.Enabled = false
	err := start(t, cfg, nil).ConsumeTraces(t.Context(), batchOf("a", 200))
	requireSame(t, spanNames(spansOf(batchOf("a", 200))), append(one.took(), left(t, err)...))
	assert.NotEmpty(t, left(t, err))
}

func TestStartReportsClientErrors(t *testing.T) {
	cfg := quick("127.0.0.1:1")
	cfg.Client.TLS.Insecure = false
	cfg.Client.TLS.CAFile = "no-such-file"
	e, err := NewFactory().CreateTraces(t.Context(), exportertest.NewNopSettings(metadata.Type), cfg)
	require.NoError(t, err)
	err = e.Start(t.Context(), componenttest.NewNopHost())
	assert.ErrorContains(t, err, "endpoint 127.0.0.1:1: ")
	assert.ErrorContains(t, err, "no-such-file")
	require.NoError(t, e.Shutdown(context.Background()))
}

func TestErrorsNameKeyRuleAndValue(t *testing.T) { configtest.Errors(t, defaultConfig) }

func TestWithoutEndpoints(t *testing.T) {
	_, err := NewFactory().CreateTraces(t.Context(), exportertest.NewNopSettings(metadata.Type), defaultConfig())
	assert.ErrorIs(t, err, errNoList)
}

// orderServer takes metrics after a random time, refuses some for now, and records the times of each
// resource's points in the order in which they come.
type orderServer struct {
	pmetricotlp.UnimplementedGRPCServer
	mu    sync.Mutex
	times map[string][]pcommon.Timestamp
}

func (s *orderServer) Export(_ context.Context, request pmetricotlp.ExportRequest) (pmetricotlp.ExportResponse, error) {
	if rand.IntN(5) == 0 {
		return pmetricotlp.NewExportResponse(), status.Error(codes.Unavailable, "not now")
	}
	time.Sleep(time.Duration(rand.IntN(1000)) * time.Microsecond)
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, rm := range request.Metrics().ResourceMetrics().All() {
		name, _ := rm.Resource().Attributes().Get("service.name")
		for _, p := range rm.ScopeMetrics().At(0).Metrics().At(0).Sum().DataPoints().All() {
			s.times[name.Str()] = append(s.times[name.Str()], p.Timestamp())
		}
	}
	return pmetricotlp.NewExportResponse(), nil
}

// TestMetricsStayInOrder sends many requests through the default queue to two gateways that refuse some.
func TestMetricsStayInOrder(t *testing.T) {
	const requests, services = 300, 5
	server := &orderServer{times: map[string][]pcommon.Timestamp{}}
	var addresses []string
	for range 2 {
		_, address := collectortest.ServeGRPC(t, func(g *grpc.Server) { pmetricotlp.RegisterGRPCServer(g, server) })
		addresses = append(addresses, address)
	}
	cfg := quick(addresses...)
	queue := exporterhelper.NewDefaultQueueConfig()
	require.Greater(t, queue.NumConsumers, 1, "the exporter has to reduce it")
	queue.Batch = configoptional.Some(exporterhelper.BatchConfig{
		FlushTimeout: 5 * time.Millisecond, Sizer: exporterhelper.RequestSizerTypeItems, MinSize: 10, MaxSize: 20,
	})
	cfg.SendingQueue = configoptional.Some(queue)
	e, err := NewFactory().CreateMetrics(t.Context(), exportertest.NewNopSettings(metadata.Type), cfg)
	require.NoError(t, err)
	require.NoError(t, e.Start(t.Context(), componenttest.NewNopHost()))
	for i := range requests {
		md := pmetric.NewMetrics()
		for service := range services {
			rm := md.ResourceMetrics().AppendEmpty()
			rm.Resource().Attributes().PutStr("service.name", fmt.Sprint(service))
			p := rm.ScopeMetrics().AppendEmpty().Metrics().AppendEmpty().SetEmptySum().DataPoints().AppendEmpty()
			p.SetTimestamp(pcommon.Timestamp(i + 1))
		}
		require.NoError(t, e.ConsumeMetrics(t.Context(), md))
		if i%50 == 0 {
			time.Sleep(10 * time.Millisecond) // the batch's timer
		}
	}
	require.Eventually(t, func() bool {
		server.mu.Lock()
		defer server.mu.Unlock()
		sum := 0
		for _, times := range server.times {
			sum += len(times)
		}
		return sum >= requests*services
	}, time.Minute, 10*time.Millisecond)
	require.NoError(t, e.Shutdown(context.Background()))
	for service, times := range server.times {
		assert.Len(t, times, requests)
		assert.IsIncreasing(t, times, service)
	}
}

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
