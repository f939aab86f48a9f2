// SPDX-License-Identifier: Apache-2.0

package cardinalityprocessor

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/processor/processortest"

	"github.com/otelcol-tc/otelcol-tc/processor/namingprocessor"
)

// benchSource is a process with eight metrics, whose points differ in an id.
type benchSource struct {
	service, metric string
	counters        int // the other metrics are gauges
	id              string
	others          []string // keys and values that all points have
}

// benchSources are the systems whose metrics tests/bench sends.
var benchSources = []benchSource{
	{"global-store", "tc_replicas_%d", 2, "artifact_id", []string{
		"node", "node-7", "memory_type", "GPU", "status", "OK", "reason", "none", "component", "catalog",
		"method", "RequestReplicaTransport", "code", "OK", "shard", "3", "view", "0",
	}},
	{"tuft", "tuft.futures.%d", 4, "model_id", []string{
		"base_model", "Qwen/Qwen3-8B", "operation_type", "forward_backward", "http.route", "/api/v1/forward", "server.address", "10.0.0.7", "status", "ready",
		"gpu_id", "0", "queue_state", "active", "tuft.lora_rank", "16", "server.port", "8080",
	}},
	{"fastdeploy", "fastdeploy:requests_%d", 4, "job_id", []string{
		"address", "ipc:///dev/shm/router.ipc", "model_name", "ernie-4.5", "host_id", "host-3", "pid", "4711", "stream", "true",
		"tp_rank", "1", "dp_rank", "0", "thread_label", "EngineWorker", "status_code", "200",
	}},
}

// sentRequest returns a request of one instance of each source, with a number of attributes
// for each point.
func sentRequest(b *testing.B, instance, attributes int) []byte {
	md := pmetric.NewMetrics()
	for _, s := range benchSources {
		rm := md.ResourceMetrics().AppendEmpty()
		rm.Resource().Attributes().PutStr("service.name", s.service)
		rm.Resource().Attributes().PutStr("service.instance.id", strconv.Itoa(instance))
		metrics := rm.ScopeMetrics().AppendEmpty().Metrics()
		for i := range 8 {
			m := metrics.AppendEmpty()
			m.SetName(fmt.Sprintf(s.metric, i))
			if i < s.counters {
				m.SetEmptySum().SetAggregationTemporality(pmetric.AggregationTemporalityCumulative)
				m.Sum().SetIsMonotonic(true)
			} else {
				m.SetEmptyGauge()
			}
			for j := range perRequest / len(benchSources) / 8 {
				dp := numbersOf(m).AppendEmpty()
				dp.SetStartTimestamp(1)
				dp.SetTimestamp(2)
				dp.SetIntValue(int64(j))
				dp.Attributes().PutStr(s.id, fmt.Sprintf("3f2504e0-4f89-41d3-9a0c-%012x", i<<8|j))
				for k := range attributes - 1 {
					dp.Attributes().PutStr(s.others[2*k], s.others[2*k+1])
				}
			}
		}
	}
	request, err := (&pmetric.ProtoMarshaler{}).MarshalMetrics(md)
	require.NoError(b, err)
	return request
}

func numbersOf(m pmetric.Metric) pmetric.NumberDataPointSlice {
	if m.Type() == pmetric.MetricTypeSum {
		return m.Sum().DataPoints()
	}
	return m.Gauge().DataPoints()
}

// namedThenBounded returns a naming processor with a cardinality processor behind it. It
// calls between with the output of the first, and after with that of the second.
func namedThenBounded(b *testing.B, between, after func(pmetric.Metrics)) consumer.Metrics {
	last, err := consumer.NewMetrics(func(_ context.Context, md pmetric.Metrics) error {
		after(md)
		return nil
	})
	require.NoError(b, err)
	cfg := createDefaultConfig().(*Config)
	cfg.DropAttributes = []string{"job_id", "fastdeploy.job.id"}
	bounded, err := NewFactory().CreateMetrics(b.Context(), processortest.NewNopSettings(NewFactory().Type()), cfg, last)
	require.NoError(b, err)
	require.NoError(b, bounded.Start(b.Context(), componenttest.NewNopHost()))
	middle, err := consumer.NewMetrics(func(ctx context.Context, md pmetric.Metrics) error {
		between(md)
		return bounded.ConsumeMetrics(ctx, md)
	})
	require.NoError(b, err)
	naming := namingprocessor.NewFactory()
	first, err := naming.CreateMetrics(b.Context(), processortest.NewNopSettings(naming.Type()), naming.CreateDefaultConfig(), middle)
	require.NoError(b, err)
	require.NoError(b, first.Start(b.Context(), componenttest.NewNopHost()))
	return first
}

// BenchmarkDecoded measures points that have just been decoded and named, in memory of
// their own, as a receiver's are. 21 series that differ in an id become one. The result is
// the mean of the fastest tenth of the requests, which other processes disturbed least.
func BenchmarkDecoded(b *testing.B) {
	for _, attributes := range []int{5, 10} {
		b.Run(strconv.Itoa(attributes), func(b *testing.B) {
			var began time.Time
			var spent []time.Duration
			now, points, rest := time.Now(), 0, 0
			between := func(md pmetric.Metrics) {
				now = now.Add(time.Millisecond)
				for _, rm := range md.ResourceMetrics().All() {
					for _, m := range rm.ScopeMetrics().At(0).Metrics().All() {
						for _, dp := range numbersOf(m).All() {
							dp.SetTimestamp(pcommon.NewTimestampFromTime(now))
						}
					}
				}
				points += md.DataPointCount()
				began = time.Now()
			}
			after := func(md pmetric.Metrics) {
				spent = append(spent, time.Since(began))
				rest += md.DataPointCount()
			}
			first := namedThenBounded(b, between, after)
			var requests [][]byte
			for instance := range 4 {
				requests = append(requests, sentRequest(b, instance, attributes))
			}
			round := func() {
				for _, request := range requests {
					md, err := (&pmetric.ProtoUnmarshaler{}).UnmarshalMetrics(request)
					require.NoError(b, err)
					require.NoError(b, first.ConsumeMetrics(context.Background(), md))
				}
			}
			round()
			spent, points, rest = nil, 0, 0
			for b.Loop() {
				round()
			}
			slices.Sort(spent)
			b.ReportMetric(float64(spent[len(spent)/10].Nanoseconds()*int64(len(spent)))/float64(points), "ns/point")
			b.ReportMetric(float64(points)/float64(rest), "in/out")
			b.ReportMetric(0, "ns/op")
		})
	}
}
