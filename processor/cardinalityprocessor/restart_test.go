package cardinalityprocessor

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/open-telemetry/opentelemetry-collector-contrib/extension/storage/filestorage"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/extension/extensiontest"
	"go.opentelemetry.io/collector/extension/xextension/storage"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/processor"
	"go.opentelemetry.io/collector/processor/processortest"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"
)

// memoryStorage is a storage extension that keeps all in memory.
type memoryStorage struct {
	component.StartFunc
	component.ShutdownFunc
	kept map[string][]byte
}

func (m *memoryStorage) GetClient(_ context.Context, _ component.Kind, id component.ID, name string) (storage.Client, error) {
	return &memoryClient{m, id.String() + "/" + name + "/"}, nil
}

type memoryClient struct {
	*memoryStorage
	prefix string
}

func (c *memoryClient) Get(_ context.Context, key string) ([]byte, error) {
	return c.kept[c.prefix+key], nil
}

func (c *memoryClient) Set(_ context.Context, key string, value []byte) error {
	c.kept[c.prefix+key] = slices.Clone(value)
	return nil
}

func (c *memoryClient) Delete(_ context.Context, key string) error {
	delete(c.kept, c.prefix+key)
	return nil
}

func (c *memoryClient) Batch(context.Context, ...*storage.Operation) error { panic("not used") }

func (c *memoryClient) Close(context.Context) error { return nil }

// extensions is a host that has some.
type extensions map[component.ID]component.Component

func (e extensions) GetExtensions() map[component.ID]component.Component { return e }

var storageID = component.MustNewID("file_storage")

// life is the time from one start of the real component to its end.
type life struct {
	t *testing.T
	processor.Metrics
	sink  *consumertest.MetricsSink
	logs  *observer.ObservedLogs
	ended bool
}

// live starts the component. The storage is nil for none.
func live(t *testing.T, kept component.Component, change func(*Config)) *life {
	t.Helper()
	cfg := createDefaultConfig().(*Config)
	cfg.Packs, cfg.DropAttributes = []any{"pytango"}, []string{"id"}
	host := extensions{}
	if kept != nil {
		cfg.Storage, host[storageID] = &storageID, kept
	}
	if change != nil {
		change(cfg)
	}
	cfg.MaxStale = max(cfg.MaxStale, cfg.FlushInterval)
	require.NoError(t, cfg.Validate())
	core, logs := observer.New(zapcore.InfoLevel)
	set := processortest.NewNopSettings(typ)
	set.Logger = zap.New(core)
	l := &life{t: t, sink: &consumertest.MetricsSink{}, logs: logs}
	var err error
	l.Metrics, err = NewFactory().CreateMetrics(t.Context(), set, cfg, l.sink)
	require.NoError(t, err)
	require.NoError(t, l.Start(t.Context(), host))
	t.Cleanup(l.end) // in case the test fails before
	return l
}

// send sends a request and returns what came out.
func (l *life) send(md pmetric.Metrics) pmetric.Metrics {
	l.t.Helper()
	l.sink.Reset()
	require.NoError(l.t, l.ConsumeMetrics(l.t.Context(), md))
	if l.sink.DataPointCount() == 0 {
		return pmetric.NewMetrics()
	}
	return l.sink.AllMetrics()[0]
}

func (l *life) end() {
	if !l.ended {
		l.ended = true
		require.NoError(l.t, l.Shutdown(context.Background()))
	}
}

// anew is how often it was said that series start anew.
func (l *life) anew() (n int) {
	for _, entry := range l.logs.All() {
		if strings.HasPrefix(entry.Message, "Series start anew") {
			n++
		}
	}
	return n
}

// clock is a rig that only makes requests: its second 0 is now.
func clock(t *testing.T) *rig { return newRig(t, nil) }

// With its state, a restart is none: neither for the places within the limit nor
// for what counters count.
func TestRestartWithState(t *testing.T) {
	f := func(kind string, request func(*rig, ...pt) pmetric.Metrics) {
		t.Helper()
		synctest.Test(t, func(t *testing.T) {
			kept := &memoryStorage{kept: map[string][]byte{}}
			settings := func(cfg *Config) {
				cfg.Limit, cfg.AttributeLimits = 3, map[string]int{"host": 1}
			}
			r := clock(t)
			in, out := r.senders(kind), r.receivers(kind)
			for round := range 6 {
				l := live(t, kept, settings)
				require.Empty(t, kept.kept) // it serves once
				for range 3 {
					time.Sleep(10 * time.Second)
					value := int(r.now())
					var points []pt
					for i := range 4 {
						user := (round + i) % 4 // later rounds begin with those past the limit
						points = append(points, pt{fmt.Sprint("user=", user, " host=", user, " id=", round/2), 1, r.now(), value})
					}
					md := request(r, points...)
					in.read(md)
					got := out.read(l.send(md))
					require.Len(t, overflows(got), 1)
					require.Equal(t, 4, got.DataPointCount())
				}
				l.end()
				require.Zero(t, l.anew())
				require.Len(t, kept.kept, 1)
			}
			require.Len(t, out.by, 4) // the same series all the time
			require.InDelta(t, in.total(), out.total(), 0)
		})
	}
	f("cumulative_sum", (*rig).counters)
	f("delta_sum", (*rig).deltas)
	f("updown", (*rig).updowns)
}

// fileStorage starts the collector's own file storage.
func fileStorage(t *testing.T, directory string) component.Component {
	factory := filestorage.NewFactory()
	cfg := factory.CreateDefaultConfig().(*filestorage.Config)
	cfg.Directory, cfg.Timeout = directory, 10*time.Millisecond
	set := extensiontest.NewNopSettings(factory.Type())
	set.ID = storageID
	files, err := factory.Create(t.Context(), set, cfg)
	require.NoError(t, err)
	require.NoError(t, files.Start(t.Context(), componenttest.NewNopHost()))
	return files
}

// The same with the collector's own file storage.
func TestRestartWithFileStorage(t *testing.T) {
	directory := t.TempDir()
	r := clock(t)
	out := r.receivers("cumulative_sum")
	for round := range 3 {
		files := fileStorage(t, directory)
		l := live(t, files, nil)
		at := float64(10 * (round + 1))
		out.read(l.send(r.counters(pt{"id=1", 8, at, 10 * (round + 1)}, pt{"id=2", 9, at, 1})))
		l.end()
		require.Zero(t, l.anew())
		require.NoError(t, files.Shutdown(t.Context()))
	}
	require.Len(t, out.by, 1)
	require.InDelta(t, 31, out.total(), 0)
}

// Without state, a merged counter begins anew: it counts what comes from then on,
// and not once more what its streams had counted before.
func TestRestartWithoutState(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := clock(t)
		out := r.receivers("cumulative_sum")
		before := 0.0
		for round := range 5 {
			l := live(t, nil, nil)
			for i := range 4 {
				time.Sleep(10 * time.Second)
				value := 1000 + 100*round + 10*i
				md := out.read(l.send(r.counters(pt{"id=1", 0.5, r.now(), value}, pt{"id=2", 0.5, r.now(), 2 * value})))
				require.Equal(t, 1, md.DataPointCount())
				if i == 0 && round > 0 {
					require.InDelta(t, before, out.total(), 0) // no spike
				}
			}
			before += 3 * 30 // what came in between is not known
			if round == 0 {
				before = out.total()
			}
			require.InDelta(t, before, out.total(), 0)
			l.end()
		}
	})
}

// A process that is killed leaves the snapshot of the one before to nobody, who
// would count from there what this one has counted.
func TestKilledProcess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		kept := &memoryStorage{kept: map[string][]byte{}}
		r := clock(t)
		out := r.receivers("cumulative_sum")
		value := 0
		send := func(l *life) {
			time.Sleep(10 * time.Second)
			value += 10
			out.read(l.send(r.counters(pt{"id=1", 1, r.now(), value})))
		}
		l := live(t, kept, nil)
		send(l)
		l.end()
		l = live(t, kept, nil)
		send(l)
		require.InDelta(t, 20, out.total(), 0)
		require.Empty(t, kept.kept)
		// Killed: nothing of l's end reaches the storage.
		empty := &memoryStorage{kept: map[string][]byte{}}
		next := live(t, empty, nil)
		send(next)
		require.InDelta(t, 20, out.total(), 0)
		send(next)
		require.InDelta(t, 30, out.total(), 0)
		next.end()
		l.end()
	})
}
