package tests

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/pmetric/pmetricotlp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"

	"github.com/otelcol-tc/otelcol-tc/cmd/tcgen/scenario"
	"github.com/otelcol-tc/otelcol-tc/internal/loopback"
	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

// choosyBackend keeps the metrics that it is sent, or refuses them.
type choosyBackend struct {
	pmetricotlp.UnimplementedGRPCServer
	address string

	mu     sync.Mutex
	refuse bool              // guarded by mu
	got    []pmetric.Metrics // guarded by mu
}

func newChoosyBackend(t *testing.T) *choosyBackend {
	t.Helper()
	b := &choosyBackend{}
	_, b.address = serveGRPC(t, anyAddress, func(server *grpc.Server) { pmetricotlp.RegisterGRPCServer(server, b) })
	return b
}

func (b *choosyBackend) Export(_ context.Context, request pmetricotlp.ExportRequest) (pmetricotlp.ExportResponse, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.refuse {
		return pmetricotlp.NewExportResponse(), status.Error(codes.Unavailable, "full")
	}
	b.got = append(b.got, request.Metrics())
	return pmetricotlp.NewExportResponse(), nil
}

func (b *choosyBackend) refuses(refuse bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.refuse = refuse
}

// take returns what came since the last time, a text for each request. When a merged
// counter starts is when its processor did, so that is left out.
func (b *choosyBackend) take(t *testing.T) (texts []string) {
	t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, md := range b.got {
		for metric := range allMetrics(md) {
			if metric.Type() == pmetric.MetricTypeSum && metric.Sum().AggregationTemporality() == pmetric.AggregationTemporalityDelta {
				continue
			}
			for _, p := range pointsOf(metric) {
				p.SetStartTimestamp(0)
			}
		}
		text, err := (&pmetric.JSONMarshaler{}).MarshalMetrics(md)
		require.NoError(t, err)
		texts = append(texts, string(text))
	}
	b.got = nil
	return texts
}

// twoWays are two pipelines beside those of builtin:dev, alike but for the wire.
const twoWays = `yaml:{
  extensions: {wire_limits/fold: {}},
  receivers: {
    otlp/plain: {protocols: {grpc: {endpoint: %q}}},
    otlp/wire: {protocols: {grpc: {endpoint: %q, middlewares: [{id: wire_limits/fold}]}}}},
  processors: {
    naming/plain: {}, cardinality/plain: {},
    naming/wire: {wire: wire_limits/fold}, cardinality/wire: {wire: wire_limits/fold}},
  exporters: {
    otlp_grpc/plain: {endpoint: %q, tls: {insecure: true}, retry_on_failure: {enabled: false}, sending_queue: {enabled: false}},
    otlp_grpc/wire: {endpoint: %q, tls: {insecure: true}, retry_on_failure: {enabled: false}, sending_queue: {enabled: false}}},
  service: {
    extensions: [health_check, wire_limits, correlation_index, wire_limits/fold],
    pipelines: {
      metrics/plain: {receivers: [otlp/plain], processors: [naming/plain, cardinality/plain], exporters: [otlp_grpc/plain]},
      metrics/wire: {receivers: [otlp/wire], processors: [naming/wire, cardinality/wire], exporters: [otlp_grpc/wire]}}}}`

// What TensorCast and TuFT send comes out the same, whether points are folded on the wire
// or not, also when the backend refuses it at first.
func TestFoldedOnTheWire(t *testing.T) {
	addresses, err := loopback.FreeAddresses(2)
	require.NoError(t, err)
	plain, wired := newChoosyBackend(t), newChoosyBackend(t)
	c := collectortest.Start(t, collectortest.Options{Configs: []string{"builtin:dev", fmt.Sprintf(twoWays, addresses[0], addresses[1], plain.address, wired.address)}})
	var clients []pmetricotlp.GRPCClient
	for _, address := range addresses {
		connection, err := grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials()))
		require.NoError(t, err)
		t.Cleanup(func() { _ = connection.Close() })
		clients = append(clients, pmetricotlp.NewGRPCClient(connection))
	}
	begin := time.Now()
	for _, name := range []string{"tensorcast", "tuft"} {
		generator, err := scenario.New(name, 1, begin)
		require.NoError(t, err)
		for i := range 20 {
			request := pmetricotlp.NewExportRequestFromMetrics(generator.Next(begin.Add(time.Duration(i) * 10 * time.Second)).Metrics)
			refuse := i%6 == 4
			for again := true; again; {
				plain.refuses(refuse)
				wired.refuses(refuse)
				for _, client := range clients {
					_, err := client.Export(t.Context(), request)
					require.Equal(t, refuse, err != nil, "%v", err)
				}
				require.Equal(t, plain.take(t), wired.take(t), "%s, request %d", name, i)
				again, refuse = refuse, false
			}
		}
	}
	metrics := c.SelfMetrics(t)
	folded := collectortest.Sum(metrics["otelcol_cardinality_wire_points"], map[string]string{"outcome": "folded"})
	assert.Positive(t, folded)
	bytes := func(side string) float64 {
		return collectortest.Sum(metrics["otelcol_cardinality_wire_bytes"], map[string]string{"side": side})
	}
	assert.Less(t, bytes("decoded"), bytes("received"))
	assert.Zero(t, collectortest.Sum(metrics["otelcol_cardinality_wire_resets"], nil))
	assert.Zero(t, c.Stop(t).Code)
}

// Settings that cannot be kept are errors at the start.
func TestWireErrors(t *testing.T) {
	f := func(config, want string) {
		t.Helper()
		result := collectortest.Run(t, "--config", "builtin:dev", "--config", config)
		assert.NotZero(t, result.Code)
		assert.Contains(t, result.Stderr, want)
	}
	f(`yaml:{processors: {naming: {wire: wire_limits}}}`, `wire: must be set in the cardinality processor behind this one as well (got "wire_limits")`)
	f(`yaml:{processors: {cardinality: {wire: health_check}}}`, `wire: must be a wire_limits extension (got "health_check")`)
}
