// SPDX-License-Identifier: Apache-2.0

package cardinalityprocessor

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"

	"github.com/otelcol-tc/otelcol-tc/internal/policy"
)

// TestWarnings checks the logs for a metric that is near its limit and one that exceeds
// it: their fields, and at most one a minute.
func TestWarnings(t *testing.T) {
	f := func(mode string) {
		t.Helper()
		synctest.Test(t, func(t *testing.T) {
			r, logs := observedRig(t, func(cfg *Config) { cfg.Limit, cfg.Mode = 100, mode })
			send := func(n int) {
				t.Helper()
				for range 10 {
					time.Sleep(6 * time.Second)
					r.process(r.deltas(users(0, n, r.now()-1, r.now())...))
				}
			}
			send(79)
			require.Zero(t, logs.Len())
			send(85)
			near := logs.TakeAll()
			require.Len(t, near, 1)
			require.Equal(t, "A metric is near a limit of series: 80 % are used", near[0].Message)
			require.Equal(t, "s", near[0].ContextMap()["service"])
			require.Equal(t, "m", near[0].ContextMap()["metric"])
			require.Equal(t, int64(100), near[0].ContextMap()["limit"])
			require.Equal(t, "user", near[0].ContextMap()["attribute"])
			send(85)
			logs.TakeAll()
			for range 5 {
				send(200)
			}
			past := logs.TakeAll()
			require.NotEmpty(t, past)
			require.LessOrEqual(t, len(past), 5)
			last := past[len(past)-1]
			require.Equal(t, "A metric exceeds a limit of series", last.Message)
			require.Equal(t, "limit", last.ContextMap()["budget"])
			require.InDelta(t, 200, last.ContextMap()["series"], 20)
			for i := 1; i < len(past); i++ {
				require.GreaterOrEqual(t, past[i].Time.Sub(past[i-1].Time), time.Minute)
			}
		})
	}
	f(policy.Enforce)
	f(policy.Audit)
}

// TestPastLimitIsReported checks that a metric that stays past its limit is logged, even
// if the same minute had the warning at 80 % and no new series comes.
func TestPastLimitIsReported(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, logs := observedRig(t, func(cfg *Config) { cfg.Limit = 10 })
		for minute := range 10 {
			var points []pt
			for i := range 100 {
				points = append(points, pt{fmt.Sprint("user=", i), 0, float64(60*minute + 1), 1})
			}
			r.process(r.deltas(points...))
			time.Sleep(time.Minute)
		}
		past := logs.FilterMessage("A metric exceeds a limit of series").All()
		require.NotEmpty(t, past)
		assert.InDelta(t, 100, past[len(past)-1].ContextMap()["series"], 20)
	})
}

// TestWarningsOfInstances checks that two instances of a service have one log a minute for
// a metric.
func TestWarningsOfInstances(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, logs := observedRig(t, func(cfg *Config) { cfg.Limit = 10 })
		for second := range 200 {
			for instance := range 5 {
				md := r.deltas(users(0, 20, r.now()-1, r.now())...)
				md.ResourceMetrics().At(0).Resource().Attributes().PutInt("instance", int64(instance))
				r.process(md)
			}
			time.Sleep(time.Second)
			require.LessOrEqual(t, logs.Len(), 1+second/60)
		}
		require.NotZero(t, logs.Len())
	})
}

// TestOverrideHelps checks that the override in a warning is valid YAML, and that merging it into the settings ends
// the overflow and keeps the overrides that exist.
func TestOverrideHelps(t *testing.T) {
	f := func(mode, metric string, attrs func(i int) string, n int, want string, existing ...OverridesItem) {
		t.Helper()
		synctest.Test(t, func(t *testing.T) {
			existing = append(existing, OverridesItem{Metric: "kube_*", Limit: 50000})
			hundred := func(cfg *Config) { cfg.Limit, cfg.Overrides = 100, existing }
			run := func(r *rig) (over int) {
				for i := range 300 { // five minutes, of which the last counts
					var points []pt
					for j := range n {
						points = append(points, pt{attrs(j), r.now() - 1, r.now(), 1})
					}
					found := len(overflows(r.process(r.sum("s", metric, pmetric.AggregationTemporalityDelta, true, points))))
					if i > 240 {
						over += found
					}
					time.Sleep(time.Second)
				}
				return over
			}
			r, logs := observedRig(t, func(cfg *Config) {
				hundred(cfg)
				cfg.Mode = mode
			})
			if over := run(r); mode == policy.Enforce {
				require.NotZero(t, over)
			}
			entries := logs.All()
			require.NotEmpty(t, entries)
			text := entries[len(entries)-1].ContextMap()["override"].(string)
			require.Contains(t, text, want)

			retrieved, err := confmap.NewRetrievedFromYAML([]byte(text))
			require.NoError(t, err)
			conf, err := retrieved.AsConf()
			require.NoError(t, err)
			sub, err := conf.Sub("processors::cardinality")
			require.NoError(t, err)
			helped := plainRig(t, func(cfg *Config) {
				hundred(cfg)
				require.NoError(t, sub.Unmarshal(cfg))
				require.Equal(t, existing, cfg.Overrides[1:])
			})
			require.Zero(t, run(helped), text)
		})
	}
	oneKey := func(i int) string { return fmt.Sprint("route=x user=", i) }
	threeKeys := func(i int) string { return fmt.Sprint("a=", i%7, " b=", i/7%7, " c=", i/49) }
	for _, mode := range []string{policy.Enforce, policy.Audit} {
		f(mode, "m", oneKey, 500, "drop_attributes:\n          - user\n")
		f(mode, "m", threeKeys, 300, "limit: ")
		f(mode, `odd "name": {x}\ \x # é`+"\t", oneKey, 300, "drop_attributes")
		f(mode, "m", func(i int) string { return fmt.Sprintf("a\"b\\%%=%d", i) }, 300, "drop_attributes")
	}
	f(policy.Enforce, strings.Repeat("n", 252), oneKey, 300, "drop_attributes") // the longest name that is certainly whole
	f(policy.Enforce, "m", oneKey, 300, "limit: ", OverridesItem{Metric: "m", KeepAttributes: []string{"user"}})
}

// TestOverrideOfServiceLimit checks that the override for a full service raises
// service_limit.
func TestOverrideOfServiceLimit(t *testing.T) {
	r, logs := observedRig(t, func(cfg *Config) { cfg.ServiceLimit = 10 })
	for i := range 100 {
		r.process(r.deltas(pt{fmt.Sprint("user=", i), 0, 10, 1}))
	}
	past := logs.All()
	require.Len(t, past, 1) // the first of its minute: 80 % are taken
	assert.Equal(t, "service_limit", past[0].ContextMap()["budget"])
	override := past[0].ContextMap()["override"].(string)
	assert.NotContains(t, override, "limit: 4000\n", "which was never near")
	assert.True(t, strings.Contains(override, "service_limit") || strings.Contains(override, "drop_attributes"), override)
}

// TestOverrideOfNobody checks that a warning has no override that would select other metrics.
func TestOverrideOfNobody(t *testing.T) {
	r, logs := observedRig(t, func(cfg *Config) { cfg.Limit = 10 })
	for i := range 100 {
		point := pt{fmt.Sprint("user=", i), r.now() - 1, r.now(), 1}
		r.process(r.sum("s", "m*", pmetric.AggregationTemporalityDelta, true, []pt{point}))
	}
	require.NotZero(t, logs.Len())
	assert.Empty(t, logs.All()[0].ContextMap()["override"])
}

func observedRig(t *testing.T, change func(*Config)) (*rig, *observer.ObservedLogs) {
	r := plainRig(t, change)
	core, logs := observer.New(zapcore.InfoLevel)
	r.p.warnings.logger = zap.New(core)
	r.p.set.Logger = zap.New(core)
	return r, logs
}

// TestFullMemoryIsReported checks that full memory is logged, since the warning needs no
// memory.
func TestFullMemoryIsReported(t *testing.T) {
	r, logs := observedRig(t, func(cfg *Config) { cfg.Limit, cfg.ServiceLimit, cfg.MemoryLimitMib = 1<<30, 0, 1 })
	over := 0
	for i := range 50 {
		var points []pt
		for j := range 1000 { // no attribute has many values
			n := 1000*i + j
			points = append(points, pt{fmt.Sprint("a=", n%40, " b=", n/40%40, " c=", n/1600), 1, 10, 1})
		}
		over += len(overflows(r.process(r.deltas(points...))))
	}
	require.Zero(t, over) // nothing has to change
	past := logs.FilterMessage("A metric exceeds a limit of series").All()
	require.NotEmpty(t, past)
	assert.Equal(t, "memory", past[0].ContextMap()["budget"])
	assert.Equal(t, "processors:\n  cardinality:\n    memory_limit_mib: 2\n", past[0].ContextMap()["override"])
}

// TestLostQuantilesAreReported checks that one log says that the summaries of a metric lose their quantiles.
func TestLostQuantilesAreReported(t *testing.T) {
	r, logs := observedRig(t, func(cfg *Config) { cfg.DropAttributes = []string{"id"} })
	for i, attrs := range []string{"route=b", "id=1", "id=2"} {
		md, m := emptyMetric("s", "m")
		dp := m.SetEmptySummary().DataPoints().AppendEmpty()
		r.common(dp, pt{attrs, 1, 10, 3})
		r.process(md)
		require.Equal(t, min(i, 1), logs.Len())
	}
	require.Equal(t, "m", logs.All()[0].ContextMap()["metric"])
}
