// SPDX-License-Identifier: Apache-2.0

package naming

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/processor/processortest"

	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor"
	"github.com/otelcol-tc/otelcol-tc/processor/namingprocessor"
	"github.com/otelcol-tc/otelcol-tc/tests/pipetest"
)

// enginePack copies two counters to one name, and renames one. Requests have ids.
const enginePack = `
system: engine
owns: {resource: {service.name: [engine]}}
metrics:
  rename: {waits: tc_engine_waits}
  also:
    - {match: '^engine.prompt$', name: canon.tokens, set: {kind: prompt}, attributes: {rid: gen_ai.request.id, model: gen_ai.request.model}}
    - {match: '^engine.output$', name: canon.tokens, set: {kind: output}, attributes: {rid: gen_ai.request.id, model: gen_ai.request.model}}
    - {match: '^engine.(one|two)$', name: canon.both}
attributes:
  - {key: rid, id: true}
`

// packedPipeline returns naming and cardinality with a pack, in front of a consumer.
func packedPipeline(t *testing.T, pack string, next consumer.Metrics) consumer.Metrics {
	host, err := pipetest.NewHost(t.Context(), fmt.Appendf(nil, "packs: [%s]\nexempt: [engine.*, canon.*]", pack))
	require.NoError(t, err)
	limiter := cardinalityprocessor.NewFactory()
	limits := limiter.CreateDefaultConfig().(*cardinalityprocessor.Config)
	limits.Limit = 10
	names := namingprocessor.NewFactory()
	last, err := limiter.CreateMetrics(t.Context(), processortest.NewNopSettings(limiter.Type()), limits, next)
	require.NoError(t, err)
	first, err := names.CreateMetrics(t.Context(), processortest.NewNopSettings(names.Type()), names.CreateDefaultConfig(), last)
	require.NoError(t, err)
	require.NoError(t, last.Start(t.Context(), host))
	require.NoError(t, first.Start(t.Context(), host))
	t.Cleanup(func() {
		require.NoError(t, first.Shutdown(context.Background()))
		require.NoError(t, last.Shutdown(context.Background()))
	})
	return first
}

// deltas adds up the deltas of each name, and counts its series. No id may arrive.
func deltas(t *testing.T, all []pmetric.Metrics) (sums map[string]int64, series map[string]int) {
	sums, series = map[string]int64{}, map[string]int{}
	seen := map[string]bool{}
	for _, md := range all {
		for _, m := range md.ResourceMetrics().At(0).ScopeMetrics().At(0).Metrics().All() {
			for _, p := range m.Sum().DataPoints().All() {
				for _, key := range []string{"rid", "gen_ai.request.id", "tc.original_name"} {
					_, has := p.Attributes().Get(key)
					assert.False(t, has, "%s has %s", m.Name(), key)
				}
				sums[m.Name()] += p.IntValue()
				if identity := fmt.Sprint(m.Name(), p.Attributes().AsRaw()); !seen[identity] {
					seen[identity] = true
					series[m.Name()]++
				}
			}
		}
	}
	return sums, series
}

// TestCopiesBehindCardinality checks that ids leave the copies as they leave the originals, that the series
// of each name are limited, that all sums are the same under both names, and that a gateway behind an agent
// copies nothing again.
func TestCopiesBehindCardinality(t *testing.T) {
	pack := filepath.Join(t.TempDir(), "engine.yaml")
	require.NoError(t, os.WriteFile(pack, []byte(enginePack), 0o600))
	synctest.Test(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(35, 35))
		var atAgent, atGateway consumertest.MetricsSink
		agent, gateway := packedPipeline(t, pack, &atAgent), packedPipeline(t, pack, &atGateway)
		want := map[string]int64{}
		start := pcommon.NewTimestampFromTime(time.Now())
		for range 50 {
			time.Sleep(10 * time.Second)
			md := pmetric.NewMetrics()
			rm := md.ResourceMetrics().AppendEmpty()
			rm.Resource().Attributes().PutStr("service.name", "engine")
			sm := rm.ScopeMetrics().AppendEmpty()
			now := pcommon.NewTimestampFromTime(time.Now())
			for _, name := range []string{"waits", "engine.prompt", "engine.output", "engine.one", "engine.two"} {
				m := sm.Metrics().AppendEmpty()
				m.SetName(name)
				m.SetEmptySum().SetIsMonotonic(true)
				m.Sum().SetAggregationTemporality(pmetric.AggregationTemporalityDelta)
				for range 4 {
					p := m.Sum().DataPoints().AppendEmpty()
					p.SetStartTimestamp(start)
					p.SetTimestamp(now)
					n := r.Int64N(100)
					p.SetIntValue(n)
					want[name] += n
					p.Attributes().PutStr("rid", fmt.Sprint(r.Uint64()))
					if name == "engine.prompt" || name == "waits" {
						p.Attributes().PutInt("model", r.Int64N(30))
					}
				}
			}
			start = now
			require.NoError(t, agent.ConsumeMetrics(t.Context(), md))
			for _, md := range atAgent.AllMetrics()[len(atGateway.AllMetrics()):] {
				sent := pmetric.NewMetrics()
				md.CopyTo(sent)
				require.NoError(t, gateway.ConsumeMetrics(t.Context(), sent))
			}
		}
		for _, sink := range []*consumertest.MetricsSink{&atAgent, &atGateway} {
			sums, series := deltas(t, sink.AllMetrics())
			assert.Equal(t, map[string]int64{
				"tc_engine_waits": want["waits"],
				"engine.prompt":   want["engine.prompt"], "engine.output": want["engine.output"],
				"canon.tokens": want["engine.prompt"] + want["engine.output"],
				"engine.one":   want["engine.one"], "engine.two": want["engine.two"], "canon.both": want["engine.one"] + want["engine.two"],
			}, sums)
			assert.Equal(t, map[string]int{
				"tc_engine_waits": 11, "engine.prompt": 11, "canon.tokens": 11, "engine.output": 1,
				"engine.one": 1, "engine.two": 1, "canon.both": 1,
			}, series)
		}
	})
}
