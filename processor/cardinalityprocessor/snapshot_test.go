// SPDX-License-Identifier: Apache-2.0

package cardinalityprocessor

import (
	"os"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/processor/processortest"
	"go.uber.org/zap/zapcore"

	"github.com/otelcol-tc/otelcol-tc/internal/statefile"
	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor/internal/series"
	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor/internal/snapshot"
)

// snapshotOf returns a directory with the snapshot of a component with a series of each kind.
func snapshotOf(t *testing.T) (directory string) {
	directory = t.TempDir()
	l := live(t, directory, nil)
	r := clock(t)
	l.send(both(r.counters(pt{"id=1", 1, 10, 100}), r.deltas(pt{"id=1", 1, 10, 100}), r.gauges(pt{"id=1", 1, 10, 100}), r.updowns(pt{"id=1", 1, 10, 7.5}),
		r.histograms(1, hist{pt{"id=1", 1, 10, nil}, []float64{1, 2}, []float64{1, 2, 3}}),
		r.histograms(2, hist{pt{"id=1", 1, 10, nil}, []float64{1, 2}, []float64{1, 2, 3}})))
	l.end()
	return directory
}

// requireAnew requires that a component with an invalid snapshot logs a warning, starts anew, and stores a snapshot.
func requireAnew(t *testing.T, directory string) {
	t.Helper()
	began := pcommon.NewTimestampFromTime(time.Now().Add(-time.Hour)) // as backdate does
	l := live(t, directory, nil)
	backdate(t, l.Metrics.(retried).processor)
	r := clock(t) // what is sent begins after the processor, however slow the machine is
	warnings := l.logs.FilterLevelExact(zapcore.WarnLevel).All()
	require.Len(t, warnings, 1)
	require.Equal(t, "Series start anew: the stored snapshot cannot be read", warnings[0].Message)
	require.NotEmpty(t, warnings[0].ContextMap()["error"])
	got := receive(l.send(r.counters(pt{"id=1", 1, 20, 150})))
	require.Equal(t, 150.0, got[0].is["value"])
	require.GreaterOrEqual(t, got[0].start, began)
	l.end()
	require.FileExists(t, snapshotIn(directory))
}

// TestDamagedSnapshots checks that a snapshot whose file is damaged causes a warning and an empty start. The file
// itself is set aside.
func TestDamagedSnapshots(t *testing.T) {
	directory := snapshotOf(t)
	whole, err := os.ReadFile(snapshotIn(directory))
	require.NoError(t, err)
	flipped := slices.Clone(whole)
	flipped[len(flipped)/2] ^= 1
	for _, damaged := range [][]byte{whole[:len(whole)/2], flipped, {}} {
		require.NoError(t, os.WriteFile(snapshotIn(directory), damaged, 0o600))
		requireAnew(t, directory)
		aside, err := os.ReadFile(snapshotIn(directory) + ".damaged")
		require.NoError(t, err)
		require.Equal(t, damaged, aside)
	}
}

// rewrite replaces the snapshot in a directory by another one, with a valid checksum.
func rewrite(t *testing.T, directory string, change func([]byte) []byte) {
	t.Helper()
	files, err := statefile.Open(statefile.Settings{Path: directory, Telemetry: componenttest.NewNopTelemetrySettings()})
	require.NoError(t, err)
	data, err := files.Read(stateName)
	require.NoError(t, err)
	require.NoError(t, files.Write(stateName, change(data)))
	require.NoError(t, files.Close())
}

// TestInvalidSnapshots checks the same for a snapshot with a valid checksum and invalid
// content.
func TestInvalidSnapshots(t *testing.T) {
	f := func(change func(*series.State)) {
		t.Helper()
		directory := snapshotOf(t)
		rewrite(t, directory, func(data []byte) []byte {
			s, err := snapshot.Decode(data)
			require.NoError(t, err)
			change(s)
			data, err = snapshot.Encode(s)
			require.NoError(t, err)
			return data
		})
		requireAnew(t, directory)
	}
	f(func(s *series.State) { s.Metrics[0].Streams.Points = []byte("x") })
	f(func(s *series.State) { s.Metrics[0].Streams.Points = nil })
	f(func(s *series.State) { s.Metrics[0].Streams.Streams[0].Output = 7 })
	f(func(s *series.State) { s.Metrics[0].Streams.Streams = nil })
	f(func(s *series.State) {
		streams := &s.Metrics[0].Streams.Streams
		*streams = append(*streams, (*streams)[0])
	})
	f(func(s *series.State) { s.Metrics[0].Streams.Type = 77 })
}

// TestChangedRulesStartAnew checks that a snapshot is not used after settings that
// identify series have changed.
func TestChangedRulesStartAnew(t *testing.T) {
	packs := "pytango"
	f := func(change func(*Config), anew bool) {
		t.Helper()
		directory := snapshotOf(t)
		l := liveWith(t, packHost(t, packs), directory, change)
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
		directory := t.TempDir()
		l := live(t, directory, limits("user", 1))
		l.send(clock(t).deltas(pt{"user=a", 1, 10, 1}))
		l.end()
		l = live(t, directory, change)
		require.Equal(t, anew, l.anew())
		l.end()
	}
	f(limits("user", 1), 0)
	f(limits("user", 2), 0)
	f(limits("host", 1), 1)
}

// TestStateOfTwoPipelines checks the error of a processor in two pipelines. These are two components with one
// directory.
func TestStateOfTwoPipelines(t *testing.T) {
	directory := t.TempDir()
	live(t, directory, nil)
	cfg := createDefaultConfig().(*Config)
	cfg.StateDirectory = directory
	p, err := NewFactory().CreateMetrics(t.Context(), processortest.NewNopSettings(typ), cfg, consumertest.NewNop())
	require.NoError(t, err)
	require.ErrorContains(t, p.Start(t.Context(), componenttest.NewNopHost()),
		`state_directory: must be used in one pipeline only: name the processor of another cardinality/other: `)
	require.NoError(t, p.Shutdown(t.Context()))
}

// FuzzSnapshot changes a snapshot, with and without a valid checksum. The processor starts
// with or without it, logs at most one warning, and accepts points.
func FuzzSnapshot(f *testing.F) {
	f.Add(0, byte(0), 0, false)
	f.Add(40, byte(1), 0, true)
	f.Add(1<<20, byte(0x80), 100, true)
	f.Fuzz(func(t *testing.T, offset int, flip byte, cut int, sign bool) {
		directory := snapshotOf(t)
		change := func(whole []byte) []byte {
			b := slices.Clone(whole)
			b[uint(offset)%uint(len(b))] ^= flip
			return b[:len(b)-int(uint(cut)%uint(len(b)))]
		}
		if sign {
			rewrite(t, directory, change)
		} else {
			whole, err := os.ReadFile(snapshotIn(directory))
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(snapshotIn(directory), change(whole), 0o600))
		}
		l := live(t, directory, nil)
		assert.LessOrEqual(t, l.logs.FilterLevelExact(zapcore.WarnLevel).Len(), 1)
		r := clock(t)
		l.send(r.counters(pt{"id=1", 1, 20, 150})) // late if the changed snapshot has a later time
		other := r.counters(pt{"id=1", 1, 20, 150})
		other.ResourceMetrics().At(0).ScopeMetrics().At(0).Metrics().At(0).SetName("tc_other_total")
		require.NotEmpty(t, receive(l.send(other)))
		l.end()
	})
}
