package wirelimitsextension

import (
	"context"
	"encoding/binary"
	"fmt"
	"net"
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/pmetric/pmetricotlp"
	"go.opentelemetry.io/collector/processor/processortest"
	"google.golang.org/grpc"
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/encoding/proto"
	"google.golang.org/grpc/mem"
	"google.golang.org/grpc/stats"

	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor"
	"github.com/otelcol-tc/otelcol-tc/processor/namingprocessor"
)

const (
	perRequest = 512
	// clients are so many that their requests are not at hand when their turn comes.
	clients = 16
	frame   = 16 << 10 // what gRPC reads at once
)

// BenchmarkFold is from the frames of a request to what goes out of the pipeline.
func BenchmarkFold(b *testing.B) {
	for _, attributes := range []int{5, 10} {
		for _, merged := range []int{4, 1} {
			load := fmt.Sprintf("%d-attributes/%d-to-1/", attributes, merged)
			for name, receive := range map[string]func(testing.TB) receiver{"pass-through": passThrough, "decoded": decoded, "wire": folded} {
				b.Run(load+name, func(b *testing.B) { benchmarkFold(b, receive(b), attributes, merged) })
			}
		}
	}
}

func benchmarkFold(b *testing.B, receive receiver, attributes, merged int) {
	var requests []mem.BufferSlice
	var times [][]byte
	for client := range clients {
		request := numbers(b, client, attributes, merged)
		for i := range request[:len(request)-8] {
			if binary.LittleEndian.Uint64(request[i:]) == anyTime {
				times = append(times, request[i:i+8])
			}
		}
		var frames mem.BufferSlice
		for at := 0; at < len(request); at += frame {
			frames = append(frames, mem.SliceBuffer(request[at:min(at+frame, len(request))]))
		}
		requests = append(requests, frames)
	}
	round := func() {
		now := uint64(time.Now().UnixNano())
		for _, at := range times {
			binary.LittleEndian.PutUint64(at, now)
		}
		for _, request := range requests {
			require.NoError(b, receive(request))
		}
	}
	for range 5 {
		round()
	}
	b.ReportAllocs()
	for b.Loop() {
		round()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/clients/perRequest, "ns/point")
}

const anyTime = 0x1122334455667788

// numbers is a request of one client, of counters and gauges of three processes. So many points
// differ in nothing but ids.
func numbers(b testing.TB, client, attributes, merged int) []byte {
	md := pmetric.NewMetrics()
	groups := perRequest / merged
	var all []pmetric.NumberDataPointSlice
	for process := range 3 {
		rm := md.ResourceMetrics().AppendEmpty()
		rm.Resource().Attributes().PutStr("service.name", "global-store")
		rm.Resource().Attributes().PutStr("service.namespace", "tensorcast")
		rm.Resource().Attributes().PutStr("service.instance.id", fmt.Sprintf("instance-%d-%d", client, process))
		sm := rm.ScopeMetrics().AppendEmpty()
		sm.Scope().SetName("tensorcast.global_store")
		for i := range 8 {
			m := sm.Metrics().AppendEmpty()
			m.SetName(fmt.Sprint("tc_requests_", i, "_total"))
			m.SetDescription("What " + m.Name() + " says.")
			if i%2 == 0 {
				all = append(all, m.SetEmptyGauge().DataPoints())
				continue
			}
			sum := m.SetEmptySum()
			sum.SetIsMonotonic(true)
			sum.SetAggregationTemporality(pmetric.AggregationTemporalityCumulative)
			all = append(all, sum.DataPoints())
		}
	}
	began := pcommon.NewTimestampFromTime(time.Now())
	for n := range perRequest {
		p := all[n%groups%len(all)].AppendEmpty()
		p.SetStartTimestamp(began)
		p.SetTimestamp(anyTime)
		p.SetIntValue(int64(n))
		fill(p.Attributes(), attributes, n, groups)
	}
	request, err := (&pmetric.ProtoMarshaler{}).MarshalMetrics(md)
	require.NoError(b, err)
	return request
}

func fill(m pcommon.Map, attributes, n, groups int) {
	id := func(key string) {
		if groups < perRequest {
			m.PutStr(key, fmt.Sprintf("3f2504e0-4f89-41d3-9a0c-%012x", n))
		} else {
			m.PutStr("k8s.label."+key, "serving")
		}
	}
	id("artifact_id")
	m.PutStr("node", fmt.Sprintf("node-%04d", n%groups))
	m.PutStr("memory_type", "GPU")
	m.PutStr("status", "OK")
	m.PutStr("reason", "none")
	if attributes == 5 {
		return
	}
	id("view_id")
	m.PutStr("component", "catalog")
	m.PutStr("method", "RequestReplicaTransport")
	m.PutStr("code", "OK")
	m.PutInt("shard", 3)
}

// receiver takes the frames of a request.
type receiver func(mem.BufferSlice) error

// passThrough is what a stock collector does with it.
func passThrough(b testing.TB) receiver {
	next, err := consumer.NewMetrics(func(context.Context, pmetric.Metrics) error { return nil })
	require.NoError(b, err)
	return whole(b, next)
}

// decoded has the points named and merged once they are decoded.
func decoded(b testing.TB) receiver { return whole(b, pipeline(b, nil)) }

func whole(b testing.TB, next consumer.Metrics) receiver {
	codec := encoding.GetCodecV2(proto.Name)
	made, export := exporting(b, next)
	return func(frames mem.BufferSlice) error {
		request := made()
		if err := codec.Unmarshal(frames, request); err != nil {
			return err
		}
		_, err := export(context.Background(), request)
		return err
	}
}

// folded has them merged before, and does what a server does for that.
func folded(b testing.TB) receiver {
	m := created(b, func(*Config) {})
	h := &handover{codec: newCodec(m)}
	made, export := exporting(b, pipeline(b, m))
	return func(frames mem.BufferSlice) error {
		ctx, request := h.TagRPC(context.Background(), nil), made()
		h.HandleRPC(ctx, &stats.Begin{})
		if err := h.codec.Unmarshal(frames, request); err != nil {
			return err
		}
		h.HandleRPC(ctx, &stats.InPayload{Payload: request, Length: frames.Len()})
		_, err := m.intercept(ctx, request, nil, export)
		h.HandleRPC(ctx, &stats.End{})
		return err
	}
}

// exporting is the metrics service before some pipeline, without a connection: how a server
// makes its requests, and what it does with them. Both are internal to pdata.
func exporting(b testing.TB, next consumer.Metrics) (made func() any, export grpc.UnaryHandler) {
	var kind reflect.Type
	server := grpc.NewServer(grpc.UnaryInterceptor(func(ctx context.Context, request any, _ *grpc.UnaryServerInfo, handler grpc.UnaryHandler) (any, error) {
		kind, export = reflect.TypeOf(request).Elem(), handler
		return handler(ctx, request)
	}))
	pmetricotlp.RegisterGRPCServer(server, &metricsService{export: next.ConsumeMetrics})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(b, err)
	go server.Serve(listener) //nolint:errcheck // it ends with Stop
	defer server.Stop()
	_, err = pmetricotlp.NewGRPCClient(dial(b, listener.Addr().String())).Export(b.Context(), pmetricotlp.NewExportRequest())
	require.NoError(b, err)
	return func() any { return reflect.New(kind).Interface() }, export
}

// pipeline is naming and cardinality, which fold on the wire where there is one.
func pipeline(b testing.TB, m *middleware) consumer.Metrics {
	merging := cardinalityprocessor.NewFactory()
	naming := namingprocessor.NewFactory()
	merge, name := merging.CreateDefaultConfig().(*cardinalityprocessor.Config), naming.CreateDefaultConfig().(*namingprocessor.Config)
	with := host{}
	if m != nil {
		id := component.MustNewID("wire_limits")
		merge.Wire, name.Wire = &id, &id
		with.extensions = map[component.ID]component.Component{id: m}
	}
	next, err := consumer.NewMetrics(func(context.Context, pmetric.Metrics) error { return nil })
	require.NoError(b, err)
	telemetry := componenttest.NewTelemetry()
	b.Cleanup(func() { require.NoError(b, telemetry.Shutdown(context.Background())) })
	set := processortest.NewNopSettings(merging.Type())
	set.TelemetrySettings = telemetry.NewTelemetrySettings()
	last, err := merging.CreateMetrics(b.Context(), set, merge, next)
	require.NoError(b, err)
	set.ID = component.NewID(naming.Type())
	first, err := naming.CreateMetrics(b.Context(), set, name, last)
	require.NoError(b, err)
	for _, c := range []component.Component{last, first} {
		require.NoError(b, c.Start(b.Context(), with))
		b.Cleanup(func() { require.NoError(b, c.Shutdown(context.Background())) })
	}
	return first
}
