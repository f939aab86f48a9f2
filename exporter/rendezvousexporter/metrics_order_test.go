// SPDX-License-Identifier: Apache-2.0

package rendezvousexporter

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/config/configoptional"
	"go.opentelemetry.io/collector/exporter/exporterhelper"
	"go.opentelemetry.io/collector/exporter/exportertest"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/pmetric/pmetricotlp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/otelcol-tc/otelcol-tc/exporter/rendezvousexporter/internal/metadata"
	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

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
		_, address := collectortest.ServeGRPC(t, collectortest.AnyAddress, func(g *grpc.Server) { pmetricotlp.RegisterGRPCServer(g, server) })
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
