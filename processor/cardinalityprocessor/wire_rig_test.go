package cardinalityprocessor

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/processor/processortest"

	"github.com/otelcol-tc/otelcol-tc/internal/wirefold"
	"github.com/otelcol-tc/otelcol-tc/processor/namingprocessor"
)

// chain is naming and cardinality, with or without the way over the wire.
type chain struct {
	t         testing.TB
	p         *cardinalityProcessor
	first     consumer.Metrics
	registry  *registry // nil: nothing is folded on the wire
	telemetry *componenttest.Telemetry
	between   func(pmetric.Metrics) // another processor, behind naming

	quiet  func(pmetric.Metrics) error // takes what comes out, in place of got
	refuse bool
	got    []byte // of the last request
}

// registry is the extension, as far as processors see it.
type registry struct {
	component.StartFunc
	component.ShutdownFunc
	folder wirefold.Folder
}

func (r *registry) UseFolder(_ component.ID, folder wirefold.Folder) error {
	r.folder = folder
	return nil
}

func (r *registry) Folder() wirefold.Folder { return r.folder }

func (r *registry) GetExtensions() map[component.ID]component.Component {
	return map[component.ID]component.Component{wireID: r}
}

var wireID = component.MustNewID("wire_limits")

func newChain(t testing.TB, change func(*Config), onWire bool) *chain {
	c := &chain{t: t, telemetry: componenttest.NewTelemetry()}
	cfg := createDefaultConfig().(*Config)
	cfg.Packs, cfg.DropAttributes = []any{"pytango"}, []string{"id"}
	if change != nil {
		change(cfg)
	}
	names := namingprocessor.NewFactory().CreateDefaultConfig().(*namingprocessor.Config)
	host := componenttest.NewNopHost()
	if onWire {
		c.registry = &registry{}
		host, cfg.Wire, names.Wire = c.registry, &wireID, &wireID
	}
	set := processortest.NewNopSettings(NewFactory().Type())
	set.TelemetrySettings = c.telemetry.NewTelemetrySettings()
	next, err := consumer.NewMetrics(c.consume)
	require.NoError(t, err)
	last, err := createMetrics(t.Context(), set, cfg, next)
	require.NoError(t, err)
	c.p = last.(taker).processor
	factory := namingprocessor.NewFactory()
	middle, err := consumer.NewMetrics(func(ctx context.Context, md pmetric.Metrics) error {
		if c.between != nil {
			c.between(md)
		}
		return last.ConsumeMetrics(ctx, md)
	}, consumer.WithCapabilities(consumer.Capabilities{MutatesData: true}))
	require.NoError(t, err)
	first, err := factory.CreateMetrics(t.Context(), processortest.NewNopSettings(factory.Type()), names, middle)
	require.NoError(t, err)
	c.first = first
	for _, started := range []component.Component{last, first} {
		require.NoError(t, started.Start(t.Context(), host))
	}
	t.Cleanup(func() {
		require.NoError(t, first.Shutdown(context.Background()))
		require.NoError(t, last.Shutdown(context.Background()))
		require.NoError(t, c.telemetry.Shutdown(context.Background()))
	})
	return c
}

// twins are two chains, of which the second folds on the wire, and which tell series
// apart alike.
func twins(t testing.TB, change func(*Config)) (plain, wired *chain) {
	plain, wired = newChain(t, change, false), newChain(t, change, true)
	wired.p.seed = plain.p.seed
	return plain, wired
}

var errRefused = errors.New("full")

func (c *chain) consume(_ context.Context, md pmetric.Metrics) error {
	if c.refuse {
		return errRefused
	}
	if c.quiet != nil {
		return c.quiet(md)
	}
	var err error
	c.got, err = (&pmetric.ProtoMarshaler{}).MarshalMetrics(md)
	return err
}

// send does what a receiver does with a request.
func (c *chain) send(request []byte) error {
	if c.quiet == nil {
		c.got = nil
	}
	var md pmetric.Metrics
	decode := func(request []byte) (err error) {
		md, err = (&pmetric.ProtoUnmarshaler{}).UnmarshalMetrics(request)
		return err
	}
	call := &wirefold.Call{}
	var err error
	if c.registry == nil {
		err = decode(request)
	} else {
		call.Batch, err = c.registry.folder.Fold(request, decode)
	}
	if err != nil {
		return err
	}
	ctx := wirefold.WithCall(context.Background(), call)
	if md.DataPointCount() > 0 {
		err = c.first.ConsumeMetrics(ctx, md)
	}
	if call.Batch != nil {
		call.Batch.Settle(ctx, err)
	}
	return err
}

// knows is all that the processor knows, in an order of its own.
func (c *chain) knows() *snapshot {
	s := c.p.state()
	slices.SortFunc(s.Families, func(a, b familyState) int { return slices.Compare(a.ID[:], b.ID[:]) })
	slices.SortFunc(s.Services, func(a, b serviceState) int { return slices.Compare(a.ID[:], b.ID[:]) })
	for i := range s.Families {
		slices.SortFunc(s.Families[i].Series, func(a, b entryState) int { return cmp.Compare(a.Key, b.Key) })
	}
	return s
}

// same sends a request to both, and compares all that comes of it.
func same(t testing.TB, plain, wired *chain, request []byte) {
	t.Helper()
	want, got := plain.send(request), wired.send(request)
	require.Equal(t, want, got)
	if !slices.Equal(plain.got, wired.got) { // whoever looks at it wants texts
		require.Equal(t, decoded(t, plain.got), decoded(t, wired.got))
		require.Equal(t, plain.got, wired.got)
	}
	require.Equal(t, plain.knows(), wired.knows())
	require.Equal(t, plain.p.memory.used.Load(), wired.p.memory.used.Load())
}

func decoded(t testing.TB, request []byte) string {
	md, err := (&pmetric.ProtoUnmarshaler{}).UnmarshalMetrics(request)
	require.NoError(t, err)
	text, err := (&pmetric.JSONMarshaler{}).MarshalMetrics(md)
	require.NoError(t, err)
	return string(text)
}

func encoded(t testing.TB, md pmetric.Metrics) []byte {
	data, err := (&pmetric.ProtoMarshaler{}).MarshalMetrics(md)
	require.NoError(t, err)
	return data
}

// outcomesOf is what became of points on the wire.
func (c *chain) outcomesOf(t *testing.T) map[string]int64 {
	return labelled(t, c.telemetry, "otelcol_cardinality_wire_points", "outcome")
}
