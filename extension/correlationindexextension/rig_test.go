package correlationindexextension

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/extension/extensiontest"
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-tc/otelcol-tc/extension/correlationindexextension/internal/metadata"
	"github.com/otelcol-tc/otelcol-tc/internal/correlation"
)

// settings are the defaults, changed.
func settings(change func(*Config)) *Config {
	cfg := createDefaultConfig().(*Config)
	change(cfg)
	return cfg
}

// startIndex starts an index that is shut down when the test ends.
func startIndex(t testing.TB, cfg *Config, host component.Host) correlation.Index {
	t.Helper()
	require.NoError(t, cfg.Validate())
	e, err := NewFactory().Create(t.Context(), extensiontest.NewNopSettings(metadata.Type), cfg)
	require.NoError(t, err)
	require.NoError(t, e.Start(t.Context(), host))
	t.Cleanup(func() { assert.NoError(t, e.Shutdown(context.WithoutCancel(t.Context()))) })
	return e.(correlation.Index)
}

func startMemory(t testing.TB, change func(*Config)) *memory {
	return startIndex(t, settings(change), componenttest.NewNopHost()).(*memory)
}

// visits makes visits and copies what they find, with ranks in place of orders.
func visits(t testing.TB, index correlation.Index, all ...correlation.Visit) []correlation.Result {
	t.Helper()
	var results []correlation.Result
	require.NoError(t, index.Visit(t.Context(), all, func(i int, r correlation.Result) {
		require.Len(t, results, i, "results come in the order of the visits")
		results = append(results, ranked(r))
	}))
	require.Len(t, results, len(all))
	return results
}

func visit(t testing.TB, index correlation.Index, v correlation.Visit) correlation.Result {
	t.Helper()
	return visits(t, index, v)[0]
}

// member is the one with this number.
func member(n int) correlation.Member {
	return correlation.Member{
		TraceID: pcommon.TraceID{0: 1, 15: byte(n), 14: byte(n >> 8)}, SpanID: pcommon.SpanID{0: 2, 7: byte(n), 6: byte(n >> 8)},
	}
}

// keyOf is the key with this number.
func keyOf(n int) correlation.Key {
	var w correlation.Writer
	w.Begin("rule")
	w.Add(string(rune(n)))
	return w.Key(7)
}

func join(key, n int) correlation.Visit {
	return correlation.Visit{Key: keyOf(key), Op: correlation.Join, Member: member(n), Limit: 3}
}

func hold(key, n int) correlation.Visit {
	v := join(key, n)
	v.Member.Held = true
	return v
}

func look(key int) correlation.Visit { return correlation.Visit{Key: keyOf(key)} }

func release(key, n int) correlation.Visit {
	return correlation.Visit{Key: keyOf(key), Op: correlation.Release, Member: member(n), Limit: 3}
}

// randomVisit visits one of a few keys with one of a few members.
func randomVisit(random *rand.Rand, keys int) correlation.Visit {
	m := member(random.IntN(12))
	m.ParentSpanID = pcommon.SpanID{1: byte(random.IntN(256))}
	m.Start = pcommon.Timestamp(random.Uint64N(1 << 62))
	m.End = m.Start + pcommon.Timestamp(random.Int64N(1<<random.IntN(60)+2)-1)
	m.Stages, m.Flags = uint8(random.IntN(256)), uint8(random.IntN(256))
	m.Kind = uint8(random.IntN(6))
	m.Log, m.Held = random.IntN(2) == 0, random.IntN(2) == 0
	if random.IntN(3) == 0 {
		m.TraceState = strings.Repeat("s", random.IntN(correlation.MaxTraceState+3))
	}
	return correlation.Visit{
		Key: keyOf(random.IntN(keys)), Op: [...]correlation.Op{0, 1, 1, 1, 2, 2}[random.IntN(6)], Member: m, Limit: 1 + random.IntN(6),
	}
}

// bed is what a test of both backends has.
type bed struct {
	correlation.Index
	pass func(time.Duration) // lets time pass
}

// onBoth runs a test against both backends.
func onBoth(t *testing.T, window time.Duration, test func(*testing.T, bed)) {
	t.Run("memory", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			test(t, bed{startMemory(t, func(cfg *Config) { cfg.Window = window }), time.Sleep})
		})
	})
	t.Run("redis", func(t *testing.T) {
		s := startServer(t)
		test(t, bed{startShared(t, s, func(cfg *Config) { cfg.Window = window }), s.pass})
	})
}
