// SPDX-License-Identifier: Apache-2.0

package cardinalityprocessor

import (
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/processor/processortest"
	"go.uber.org/zap/zapcore"

	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor/internal/series"
	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor/internal/snapshot"
)

// snapshotOf returns the snapshot of a component with a series of each kind.
func snapshotOf(t *testing.T) (kept *memoryStorage, key string) {
	kept = &memoryStorage{kept: map[string][]byte{}}
	l := live(t, kept, nil)
	r := clock(t)
	l.send(both(r.counters(pt{"id=1", 1, 10, 100}), r.deltas(pt{"id=1", 1, 10, 100}), r.gauges(pt{"id=1", 1, 10, 100}), r.updowns(pt{"id=1", 1, 10, 7.5}),
		r.histograms(1, hist{pt{"id=1", 1, 10, nil}, []float64{1, 2}, []float64{1, 2, 3}}),
		r.histograms(2, hist{pt{"id=1", 1, 10, nil}, []float64{1, 2}, []float64{1, 2, 3}})))
	l.end()
	for key := range kept.kept {
		return kept, key
	}
	t.Fatal("nothing was stored")
	return nil, ""
}

// TestCorruptSnapshots checks that a snapshot that cannot be read causes a warning and an
// empty start.
func TestCorruptSnapshots(t *testing.T) {
	kept, key := snapshotOf(t)
	whole := kept.kept[key]
	f := func(data []byte) {
		t.Helper()
		kept.kept[key] = data
		began := pcommon.NewTimestampFromTime(time.Now().Add(-time.Hour)) // as backdate does
		l := live(t, kept, nil)
		backdate(t, l.Metrics.(retried).processor)
		r := clock(t) // what is sent begins after the processor, however slow the machine is
		require.Equal(t, 1, l.logs.FilterLevelExact(zapcore.WarnLevel).Len())
		warning := l.logs.All()[0]
		require.Equal(t, "Series start anew: the stored snapshot cannot be read", warning.Message)
		require.NotEmpty(t, warning.ContextMap()["error"])
		// It works as a new one does.
		got := receive(l.send(r.counters(pt{"id=1", 1, 20, 150})))
		require.Equal(t, 150.0, got[0].is["value"])
		require.GreaterOrEqual(t, got[0].start, began)
		l.end()
		require.Greater(t, len(kept.kept[key]), 9)
	}
	for tenth := range 10 {
		f(whole[:len(whole)*tenth/10])
	}
	f([]byte{})
	f(append(append([]byte{}, whole...), 0))
	rnd := rand.New(rand.NewPCG(1, 0))
	for i := range 60 {
		flipped := append([]byte{}, whole...)
		at := rnd.IntN(len(whole))
		if i < 10 {
			at = i // in the head
		}
		flipped[at] ^= 1 << rnd.IntN(8)
		f(flipped)
		for j := range flipped[:rnd.IntN(len(flipped))] {
			flipped[j] = byte(rnd.Uint32())
		}
		f(flipped)
	}
	other := append([]byte{}, whole...)
	other[0]++
	f(other)
	f([]byte("garbage, and more of it than a header takes"))
}

// TestInvalidSnapshots checks the same for a snapshot with a valid checksum and invalid
// content.
func TestInvalidSnapshots(t *testing.T) {
	kept, key := snapshotOf(t)
	whole := kept.kept[key]
	f := func(change func(*series.State)) {
		t.Helper()
		s, err := snapshot.Decode(whole)
		require.NoError(t, err)
		change(s)
		kept.kept[key], err = snapshot.Encode(s)
		require.NoError(t, err)
		began := pcommon.NewTimestampFromTime(time.Now().Add(-time.Hour)) // as backdate does
		l := live(t, kept, nil)
		backdate(t, l.Metrics.(retried).processor)
		r := clock(t) // what is sent begins after the processor, however slow the machine is
		require.Equal(t, 1, l.logs.FilterLevelExact(zapcore.WarnLevel).Len())
		got := receive(l.send(r.counters(pt{"id=1", 1, 20, 150})))
		require.Equal(t, 150.0, got[0].is["value"])
		require.GreaterOrEqual(t, got[0].start, began)
		l.end()
	}
	f(func(s *series.State) { s.Families[0].Tracker.Points = []byte("x") })
	f(func(s *series.State) { s.Families[0].Tracker.Points = nil })
	f(func(s *series.State) { s.Families[0].Tracker.Streams[0].Output = 7 })
	f(func(s *series.State) { s.Families[0].Tracker.Streams = nil })
	f(func(s *series.State) {
		streams := &s.Families[0].Tracker.Streams
		*streams = append(*streams, (*streams)[0])
	})
	f(func(s *series.State) { s.Families[0].Tracker.Type = 77 })
}

// TestChangedRulesStartAnew checks that a snapshot is not used after settings that
// identify series have changed.
func TestChangedRulesStartAnew(t *testing.T) {
	packs := "pytango"
	f := func(change func(*Config), anew bool) {
		t.Helper()
		kept, _ := snapshotOf(t)
		l := liveWith(t, packHost(t, packs), kept, change)
		require.Equal(t, anew, l.logs.FilterMessage("Series start anew: settings that identify series have changed").Len() == 1)
		require.Zero(t, l.logs.FilterLevelExact(zapcore.WarnLevel).Len())
		l.end()
	}
	f(nil, false)
	f(func(cfg *Config) { cfg.Limit, cfg.ServiceLimit = 1, 1 }, false)
	f(func(cfg *Config) { cfg.MaxStale *= 2 }, false)
	f(func(cfg *Config) { cfg.Overrides = []OverridesItem{{Metric: "m", Limit: 7}} }, true)
	f(func(cfg *Config) { cfg.DropAttributes = []string{"id", "user"} }, true)
	f(func(cfg *Config) { cfg.Overrides = []OverridesItem{{Metric: "m", KeepAttributes: []string{}}} }, true)
	f(func(cfg *Config) { cfg.Overrides = []OverridesItem{{Metric: "m", DropAttributes: []string{"x"}}} }, true)
	f(func(cfg *Config) { cfg.AttributeLimits = map[string]int{"user": 1} }, true)
	packs = "tensorcast"
	f(nil, true)
}

// TestChangedAttributeLimitsStartAnew checks that a snapshot is not used after the keys of
// attribute_limits have changed, since it has their values by index.
func TestChangedAttributeLimitsStartAnew(t *testing.T) {
	limits := func(key string, limit int) func(*Config) {
		return func(cfg *Config) { cfg.AttributeLimits = map[string]int{key: limit} }
	}
	f := func(change func(*Config), anew int) {
		t.Helper()
		kept := &memoryStorage{kept: map[string][]byte{}}
		l := live(t, kept, limits("user", 1))
		l.send(clock(t).deltas(pt{"user=a", 1, 10, 1}))
		l.end()
		l = live(t, kept, change)
		require.Equal(t, anew, l.anew())
		l.end()
	}
	f(limits("user", 1), 0)
	f(limits("user", 2), 0)
	f(limits("host", 1), 1)
}

// TestSmallerLimitAfterRestart checks that restored series past a smaller limit stay
// admitted, and that no new one is.
func TestSmallerLimitAfterRestart(t *testing.T) {
	kept := &memoryStorage{kept: map[string][]byte{}}
	r := clock(t)
	l := live(t, kept, nil)
	l.send(r.deltas(users(0, 10, 1, 10)...))
	l.end()
	l = live(t, kept, func(cfg *Config) { cfg.Limit = 5 })
	got := l.send(r.deltas(users(0, 12, 10, 20)...))
	require.Equal(t, 11, got.DataPointCount())
	require.Len(t, overflows(got), 1)
	l.end()
}

func TestStorageErrors(t *testing.T) {
	f := func(host component.Host, want string) {
		t.Helper()
		cfg := createDefaultConfig().(*Config)
		cfg.Storage = &storageID
		p, err := NewFactory().CreateMetrics(t.Context(), processortest.NewNopSettings(typ), cfg, consumertest.NewNop())
		require.NoError(t, err)
		require.EqualError(t, p.Start(t.Context(), host), want)
		require.NoError(t, p.Shutdown(t.Context()))
	}
	f(componenttest.NewNopHost(), `storage: must be an extension of the service (got "file_storage")`)
	f(extensions{component.MustNewID("other"): &memoryStorage{}}, `storage: must be an extension of the service (got "file_storage")`)
	f(extensions{storageID: nopComponent{}}, `storage: must be a storage extension (got "file_storage")`)
}

type nopComponent struct {
	component.StartFunc
	component.ShutdownFunc
}

// TestStorageOfTwoPipelines checks the error of a processor in two pipelines. These are
// two components of one id, and the file storage opens a file only once.
func TestStorageOfTwoPipelines(t *testing.T) {
	files := fileStorage(t, t.TempDir())
	l := live(t, files, nil)
	cfg := createDefaultConfig().(*Config)
	cfg.Storage = &storageID
	p, err := NewFactory().CreateMetrics(t.Context(), processortest.NewNopSettings(typ), cfg, consumertest.NewNop())
	require.NoError(t, err)
	require.EqualError(t, p.Start(t.Context(), extensions{storageID: files}),
		`storage: must be used in one pipeline only: name the processor of another cardinality/other (got "file_storage"): timeout`)
	require.NoError(t, p.Shutdown(t.Context()))
	l.end()
	require.NoError(t, files.Shutdown(t.Context()))
}

// TestSnapshotOfFirstVersion checks that a snapshot of the first version continues where
// it ended.
func TestSnapshotOfFirstVersion(t *testing.T) {
	data, err := os.ReadFile("internal/snapshot/testdata/v1.bin")
	require.NoError(t, err)
	state, err := snapshot.Decode(data)
	require.NoError(t, err)
	r := newRig(t, func(cfg *Config) { cfg.AttributeLimits = map[string]int{"user": 1} })
	require.NoError(t, snapshot.Load(r.p.store, state, r.p.plans, 1))
	require.Equal(t, []string{`{user="other"} 0..30 16`, `{} 0..30 170`, `{} 0..30 8.5`, `{} 0..30 count 4, le 1 1, le 2 2, sum 9`},
		r.send(both(r.counters(pt{"id=1", 1, 30, 170}, pt{"user=c", 1, 30, 9}), r.histograms(2, hist{pt{"id=1", 1, 30, nil}, []float64{1, 2}, []float64{1, 2, 3, 3}}),
			r.updowns(pt{"id=2", 1, 30, 1}), r.gauges(pt{"id=1", 1, 10, 100}))))
}
