package wirelimitsextension

import (
	"context"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/pmetric/pmetricotlp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/mem"
	"google.golang.org/grpc/status"

	"github.com/otelcol-tc/otelcol-tc/internal/wirefold"
	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

// halving leaves the first half of a request's resources, and notes what becomes of its
// batches.
type halving struct {
	mu      sync.Mutex
	settled []error // guarded by mu
	batches int     // guarded by mu
}

func (h *halving) UseNamer(component.ID, wirefold.Namer) error { return nil }

func (h *halving) Fold(request []byte, decode func([]byte) error) (wirefold.Batch, error) {
	md, err := (&pmetric.ProtoUnmarshaler{}).UnmarshalMetrics(request)
	if err != nil {
		return nil, decode(request)
	}
	half, i := (md.ResourceMetrics().Len()+1)/2, 0
	md.ResourceMetrics().RemoveIf(func(pmetric.ResourceMetrics) bool { i++; return i > half })
	if request, err = (&pmetric.ProtoMarshaler{}).MarshalMetrics(md); err != nil {
		return nil, err
	}
	batch := &once{h: h}
	h.mu.Lock()
	h.batches++
	h.mu.Unlock()
	if err := decode(request); err != nil {
		batch.Settle(context.Background(), err)
		return nil, err
	}
	return batch, nil
}

// once is a batch of which only the first settlement counts.
type once struct {
	h    *halving
	done bool // guarded by h.mu
}

func (o *once) Settle(_ context.Context, err error) {
	o.h.mu.Lock()
	defer o.h.mu.Unlock()
	if !o.done {
		o.done = true
		o.h.settled = append(o.h.settled, err)
	}
}

// metricsService does what a pipeline would.
type metricsService struct {
	pmetricotlp.UnimplementedGRPCServer
	export func(context.Context, pmetric.Metrics) error
}

func (s *metricsService) Export(ctx context.Context, request pmetricotlp.ExportRequest) (pmetricotlp.ExportResponse, error) {
	return pmetricotlp.NewExportResponse(), s.export(ctx, request.Metrics())
}

// What a folder makes of a request is what the receiver gets, and it hears what became of
// it, however the call ends.
func TestFold(t *testing.T) {
	errFull := status.Error(codes.Unavailable, "full")
	f := func(export func(context.Context, pmetric.Metrics) error, before grpc.UnaryServerInterceptor, want func(*testing.T, error)) {
		t.Helper()
		m := created(t, func(*Config) {})
		folder := &halving{}
		require.NoError(t, m.UseFolder(component.MustNewID("cardinality"), folder))
		c := newCodec(m)
		chain := grpc.ChainUnaryInterceptor(recovered)
		if before != nil {
			chain = grpc.ChainUnaryInterceptor(recovered, before)
		}
		server := grpc.NewServer(append([]grpc.ServerOption{chain}, m.serverOptions(c)...)...)
		pmetricotlp.RegisterGRPCServer(server, &metricsService{export: func(ctx context.Context, md pmetric.Metrics) error {
			assert.Equal(t, 2, md.ResourceMetrics().Len())
			return export(ctx, md)
		}})
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		go server.Serve(listener) //nolint:errcheck // it ends with Stop
		t.Cleanup(server.Stop)
		connection := dial(t, listener.Addr().String())
		md := pmetric.NewMetrics()
		for range 4 {
			md.ResourceMetrics().AppendEmpty().ScopeMetrics().AppendEmpty().Metrics().AppendEmpty().SetName("m")
		}
		_, _ = pmetricotlp.NewGRPCClient(connection).Export(t.Context(), pmetricotlp.NewExportRequestFromMetrics(md))
		collectortest.Eventually(t, 10*time.Second, func() (bool, string) {
			folder.mu.Lock()
			defer folder.mu.Unlock()
			return len(folder.settled) == 1 && folder.batches == 1, "nobody said what became of the request"
		})
		want(t, folder.settled[0])
	}
	accepted := func(t *testing.T, err error) { assert.NoError(t, err) }
	refused := func(t *testing.T, err error) { assert.Error(t, err) }
	accept := func(context.Context, pmetric.Metrics) error { return nil }
	f(accept, nil, accepted)
	f(func(context.Context, pmetric.Metrics) error { return errFull }, nil, refused)
	f(func(context.Context, pmetric.Metrics) error { panic("a fault") }, nil, refused)
	f(accept, func(context.Context, any, *grpc.UnaryServerInfo, grpc.UnaryHandler) (any, error) { return nil, errFull }, refused)
	// The pipeline knows best, whatever the client hears.
	f(func(ctx context.Context, _ pmetric.Metrics) error {
		wirefold.BatchOf(ctx).Settle(ctx, nil)
		return errFull
	}, nil, accepted)
}

func TestOneFolder(t *testing.T) {
	m := created(t, func(*Config) {})
	assert.Nil(t, m.Folder())
	folder := &halving{}
	require.NoError(t, m.UseFolder(component.MustNewID("cardinality"), folder))
	assert.Equal(t, wirefold.Folder(folder), m.Folder())
	assert.EqualError(t, m.UseFolder(component.MustNewIDWithName("cardinality", "two"), folder),
		`wire: must be of one processor in one pipeline only: "cardinality" has this extension already (got "cardinality/two")`)
}

// nothing is a codec that decodes nothing.
type nothing struct{ encoding.CodecV2 }

func (nothing) Unmarshal(mem.BufferSlice, any) error { return nil }

// What the limits refuse is what would be decoded, and nobody has it.
func TestRefusedIsNotAccepted(t *testing.T) {
	m := created(t, func(*Config) {})
	folder := &halving{}
	require.NoError(t, m.UseFolder(component.MustNewID("cardinality"), folder))
	c := newCodec(m)
	c.CodecV2 = nothing{c.CodecV2}
	type ExportMetricsServiceRequest struct{}
	f := func(depth int, rule string, settled []error) {
		t.Helper()
		folder.settled = nil
		for _, r := range requests(1, depth) {
			if r.path != "/v1/metrics" {
				continue
			}
			request := &ExportMetricsServiceRequest{}
			require.NoError(t, c.Unmarshal(mem.BufferSlice{mem.SliceBuffer(r.body(t, false))}, request))
			found := c.take(request)
			if rule == "" {
				assert.Nil(t, found.refusal)
			} else {
				assert.Equal(t, rule, found.refusal.rule)
			}
			found.share.release()
			assert.Equal(t, settled, folder.settled)
		}
	}
	f(200, "max_depth", []error{errRefused})
	f(1, "", nil)
}
