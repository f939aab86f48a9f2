// SPDX-License-Identifier: Apache-2.0

package cardinalityprocessor

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/processor"
	"go.opentelemetry.io/collector/processor/processortest"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"

	"github.com/otelcol-tc/otelcol-tc/internal/attributes"
	"github.com/otelcol-tc/otelcol-tc/tests/pipetest"
)

// packHost returns a host whose conventions extension has one pack.
func packHost(t *testing.T, pack string) component.Host {
	t.Helper()
	host, err := pipetest.NewHost(t.Context(), []byte("packs: ["+pack+"]"))
	require.NoError(t, err)
	return host
}

// life is the real component from its start to its shutdown.
type life struct {
	t *testing.T
	processor.Metrics
	sink  *consumertest.MetricsSink
	logs  *observer.ObservedLogs
	ended bool
}

// live starts the component. Without a directory it keeps no state.
func live(t *testing.T, directory string, change func(*Config)) *life {
	t.Helper()
	return liveWith(t, packHost(t, "pytango"), directory, change)
}

// liveWith is live on a host.
func liveWith(t *testing.T, host component.Host, directory string, change func(*Config)) *life {
	t.Helper()
	cfg := createDefaultConfig().(*Config)
	cfg.DropAttributes, cfg.StateDirectory = []string{"id"}, directory
	if change != nil {
		change(cfg)
	}
	require.NoError(t, cfg.Validate())
	core, logs := observer.New(zapcore.InfoLevel)
	set := processortest.NewNopSettings(typ)
	set.Logger = zap.New(core)
	l := &life{t: t, sink: &consumertest.MetricsSink{}, logs: logs}
	var err error
	l.Metrics, err = NewFactory().CreateMetrics(t.Context(), set, cfg, l.sink)
	require.NoError(t, err)
	backdate(t, l.Metrics.(retried).processor) // until it loads a state
	require.NoError(t, l.Start(t.Context(), host))
	t.Cleanup(l.end) // if the test fails before
	return l
}

// send sends a request and returns the output.
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

// anew returns the number of logs that series start anew.
func (l *life) anew() (n int) {
	for _, entry := range l.logs.All() {
		if strings.HasPrefix(entry.Message, "Series start anew") {
			n++
		}
	}
	return n
}

// snapshotIn returns the path of the snapshot in a state directory.
func snapshotIn(directory string) string { return filepath.Join(directory, stateName) }

// clock returns a rig that only makes requests. Its second 0 is now.
func clock(t *testing.T) *rig { return newRig(t, nil) }

// TestRestartWithState checks that a restart with a snapshot keeps the admitted series and
// the counters.
func TestRestartWithState(t *testing.T) {
	f := func(kind string, request func(*rig, ...pt) pmetric.Metrics) {
		t.Helper()
		synctest.Test(t, func(t *testing.T) {
			directory := t.TempDir()
			settings := func(cfg *Config) {
				cfg.Limit, cfg.AttributeLimits = 3, map[string]int{"host": 1}
			}
			r := clock(t)
			in, out := r.senders(kind), r.receivers(kind)
			for round := range 6 {
				l := live(t, directory, settings)
				require.NoFileExists(t, snapshotIn(directory)) // the snapshot is used once
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
				require.FileExists(t, snapshotIn(directory))
			}
			require.Len(t, out.by, 4) // the same series all the time
			require.InDelta(t, in.total(), out.total(), 0)
		})
	}
	f("cumulative_sum", (*rig).counters)
	f("delta_sum", (*rig).deltas)
	f("updown", (*rig).updowns)
}

// TestRestartWithoutState checks that a merged counter starts afresh without a snapshot.
// It does not count again what its streams counted before.
func TestRestartWithoutState(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := clock(t)
		out := r.receivers("cumulative_sum")
		before := 0.0
		for round := range 5 {
			l := live(t, "", nil)
			for i := range 4 {
				time.Sleep(10 * time.Second)
				value := 1000 + 100*round + 10*i
				md := out.read(l.send(r.counters(pt{"id=1", 0.5, r.now(), value}, pt{"id=2", 0.5, r.now(), 2 * value})))
				require.Equal(t, 1, md.DataPointCount())
				if i == 0 && round > 0 {
					require.InDelta(t, before, out.total(), 0) // no spike
				}
			}
			before += 3 * 30 // the increments in between are not known
			if round == 0 {
				before = out.total()
			}
			require.InDelta(t, before, out.total(), 0)
			l.end()
		}
	})
}

// TestKilledProcess checks that the snapshot before a killed process is not used, since
// the increments since then would count twice.
func TestKilledProcess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		directory := t.TempDir()
		r := clock(t)
		out := r.receivers("cumulative_sum")
		value := 0
		send := func(l *life) {
			time.Sleep(10 * time.Second)
			value += 10
			out.read(l.send(r.counters(pt{"id=1", 1, r.now(), value})))
		}
		l := live(t, directory, nil)
		send(l)
		l.end()
		l = live(t, directory, nil)
		send(l)
		require.InDelta(t, 20, out.total(), 0)
		require.NoFileExists(t, snapshotIn(directory))
		// l is killed: it stores nothing.
		next := live(t, t.TempDir(), nil)
		send(next)
		require.InDelta(t, 20, out.total(), 0)
		send(next)
		require.InDelta(t, 30, out.total(), 0)
		next.end()
		l.end()
	})
}

// TestWriterOfServiceOverflow checks that the overflow series of a service names its writer: a restart with the state
// keeps it, and another collector has its own.
func TestWriterOfServiceOverflow(t *testing.T) {
	limited := func(cfg *Config) { cfg.ServiceLimit = 1 }
	writerOf := func(r *rig, at float64) string {
		r.process(r.deltas(pt{"route=/a", at - 1, at, 1}))
		out := r.process(r.deltas(pt{"route=/b", at - 1, at, 1}))
		require.Equal(t, 1, out.ResourceMetrics().Len())
		return attributes.Text(out.ResourceMetrics().At(0).Resource().Attributes(), "service.instance.id")
	}
	r, restarted, second := plainRig(t, limited), plainRig(t, limited), plainRig(t, limited)
	writer := writerOf(r, 10)
	assert.Regexp(t, "^overflow-[0-9a-f]{16}$", writer)
	copySeries(t, r.p, restarted.p)
	assert.Equal(t, writer, writerOf(restarted, 20))
	assert.NotEqual(t, writer, writerOf(second, 20))
}
