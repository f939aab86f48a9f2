// SPDX-License-Identifier: Apache-2.0

package namingprocessor

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/xpdata"
	"go.opentelemetry.io/collector/processor/processortest"

	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
	"github.com/otelcol-tc/otelcol-tc/internal/policy"
	"github.com/otelcol-tc/otelcol-tc/processor/namingprocessor/internal/metadata"
	"github.com/otelcol-tc/otelcol-tc/tests/soak"
	"github.com/otelcol-tc/otelcol-tc/tests/tcgen/scenario"
)

// names are the parts of random names and keys.
var names = []string{
	"tc", "tc.", "TC.", "tc_", "tuft.", "fastdeploy:", "tensorcast_", "http.", "Foo", "bar", "::", ".", "/", " ", "_", "-",
	"8f3a-11d2", "3f2504e0-4f89-11d3-9a0c-0305e82c3301", "(", ")", "<locals>", "GET ", "POST /v1/x (Req: a)", "处", "\xff",
	"base_model", "rpc.service", "component", "P2P", "Service", "7",
}

type random struct{ *rand.Rand }

func (r random) name() string {
	s := ""
	for range r.IntN(5) {
		s += names[r.IntN(len(names))]
	}
	return s
}

func (r random) attributes(m pcommon.Map) {
	for range r.IntN(6) {
		switch key := r.name(); r.IntN(3) {
		case 0:
			m.PutStr(key, r.name())
		case 1:
			m.PutInt(key, r.Int64())
		default:
			m.PutEmptyMap(key).PutStr(r.name(), r.name())
		}
	}
}

func (r random) resource(m pcommon.Map) {
	r.attributes(m)
	if services := []string{"", "tuft", "fastdeploy", "pay-ment", "tensorcast"}; r.IntN(3) > 0 {
		m.PutStr("service.name", services[r.IntN(len(services))])
	}
}

func (r random) traces() ptrace.Traces {
	td := ptrace.NewTraces()
	for range r.IntN(4) {
		rs := td.ResourceSpans().AppendEmpty()
		r.resource(rs.Resource().Attributes())
		for range r.IntN(3) {
			ss := rs.ScopeSpans().AppendEmpty()
			ss.Scope().SetName(r.name())
			r.attributes(ss.Scope().Attributes())
			for range r.IntN(5) {
				span := ss.Spans().AppendEmpty()
				span.SetName(r.name())
				span.SetSpanID(pcommon.SpanID{1, byte(r.IntN(255))})
				r.attributes(span.Attributes())
				r.attributes(span.Events().AppendEmpty().Attributes())
				r.attributes(span.Links().AppendEmpty().Attributes())
			}
		}
	}
	return td
}

func (r random) logs() plog.Logs {
	ld := plog.NewLogs()
	for range r.IntN(4) {
		rl := ld.ResourceLogs().AppendEmpty()
		r.resource(rl.Resource().Attributes())
		for range r.IntN(3) {
			sl := rl.ScopeLogs().AppendEmpty()
			sl.Scope().SetName(r.name())
			for range r.IntN(5) {
				record := sl.LogRecords().AppendEmpty()
				record.SetSpanID(pcommon.SpanID{1, byte(r.IntN(255))})
				r.attributes(record.Attributes())
				switch r.IntN(3) {
				case 0:
					record.Body().SetStr(r.name() + " api_key=tml-" + r.name())
				case 1:
					r.attributes(record.Body().SetEmptyMap())
				}
			}
		}
	}
	return ld
}

func (r random) metrics() pmetric.Metrics {
	md := pmetric.NewMetrics()
	for range r.IntN(4) {
		rm := md.ResourceMetrics().AppendEmpty()
		r.resource(rm.Resource().Attributes())
		for range r.IntN(3) {
			sm := rm.ScopeMetrics().AppendEmpty()
			for range r.IntN(5) {
				m := sm.Metrics().AppendEmpty()
				m.SetName(r.name())
				m.SetUnit([]string{"", "tokens", "By", "bytes"}[r.IntN(4)])
				switch r.IntN(6) {
				case 0:
					r.attributes(m.SetEmptyGauge().DataPoints().AppendEmpty().Attributes())
				case 1:
					r.attributes(m.SetEmptySum().DataPoints().AppendEmpty().Attributes())
				case 2:
					r.attributes(m.SetEmptyHistogram().DataPoints().AppendEmpty().Exemplars().AppendEmpty().FilteredAttributes())
				case 3:
					r.attributes(m.SetEmptyExponentialHistogram().DataPoints().AppendEmpty().Attributes())
				case 4:
					r.attributes(m.SetEmptySummary().DataPoints().AppendEmpty().Attributes())
				}
			}
		}
	}
	return md
}

// counts are those of the processor by counter, and by rule and system.
type counts = map[string]map[string]int64

// kind is what a property needs of a signal.
type kind[D any] struct {
	random    func(random) D
	consume   func(t *testing.T, host component.Host, cfg *Config, batch D) (D, counts)
	items     func(D) int
	marshal   func(D) ([]byte, error)
	unmarshal func([]byte) (D, error)
}

var spanKind = kind[ptrace.Traces]{
	random.traces, consumeTracesAt, ptrace.Traces.SpanCount, new(ptrace.ProtoMarshaler).MarshalTraces, new(ptrace.ProtoUnmarshaler).UnmarshalTraces,
}

var pointKind = kind[pmetric.Metrics]{
	random.metrics, consumeMetricsBatch, pmetric.Metrics.DataPointCount, new(pmetric.ProtoMarshaler).MarshalMetrics, new(pmetric.ProtoUnmarshaler).UnmarshalMetrics,
}

var recordKind = kind[plog.Logs]{
	random.logs, consumeLogsAt, plog.Logs.LogRecordCount, new(plog.ProtoMarshaler).MarshalLogs, new(plog.ProtoUnmarshaler).UnmarshalLogs,
}

// consumeMetricsBatch returns what comes out of one batch, which is never empty.
func consumeMetricsBatch(t *testing.T, host component.Host, cfg *Config, md pmetric.Metrics) (pmetric.Metrics, counts) {
	t.Helper()
	out, shown := consumeMetricsAt(t, host, cfg, md)
	require.Len(t, out, 1)
	return out[0], shown
}

// text returns a batch as it is sent.
func (k kind[D]) text(t *testing.T, batch D) string {
	t.Helper()
	text, err := k.marshal(batch)
	require.NoError(t, err)
	return string(text)
}

// everything is a policy that repairs the names of all telemetry, and withholds no text because of a random name.
const everything = "unowned: repair\ncontent: {default: keep, secrets: keep}"

// checkEnforced checks that nothing of a batch is lost, and that enforcing twice equals enforcing once. It returns
// the counts of the first time.
func (k kind[D]) checkEnforced(t *testing.T, batch D) counts {
	t.Helper()
	before := k.items(batch)
	once, shown := k.consume(t, hostWith(t, everything), defaultConfig(), batch)
	assert.Equal(t, before, k.items(once))
	after := k.text(t, once)
	twice, again := k.consume(t, hostWith(t, everything), defaultConfig(), once)
	assert.Equal(t, after, k.text(t, twice))
	assert.Empty(t, again["changes"])
	return shown
}

// check checks random batches: also that audit mode changes nothing and has the counts of enforce mode.
func (k kind[D]) check(t *testing.T) {
	audit := defaultConfig()
	audit.Mode = policy.Audit
	for seed := range uint64(soak.Count(t, "TC_HISTORIES", 300)) {
		batch := k.random(random{rand.New(rand.NewPCG(seed, 1))})
		before := k.text(t, batch)
		same, audited := k.consume(t, hostWith(t, everything), audit, batch)
		require.Equal(t, before, k.text(t, same), "seed %d", seed)
		require.Equal(t, audited, k.checkEnforced(t, batch), "seed %d", seed)
		require.False(t, t.Failed(), "seed %d", seed)
	}
}

func TestTracesProperties(t *testing.T)  { spanKind.check(t) }
func TestMetricsProperties(t *testing.T) { pointKind.check(t) }
func TestLogsProperties(t *testing.T)    { recordKind.check(t) }

// checkNobodys checks that telemetry that no pack owns leaves as it came, counted as conformant.
func (k kind[D]) checkNobodys(t *testing.T) {
	for seed := range uint64(soak.Count(t, "TC_HISTORIES", 300)) {
		batch := k.random(random{rand.New(rand.NewPCG(seed, 3))})
		before := k.text(t, batch)
		same, shown := k.consume(t, hostWith(t, ofNobody), defaultConfig(), batch)
		require.Equal(t, before, k.text(t, same), "seed %d", seed)
		require.Equal(t, shown["items"], shown["conformant_items"], "seed %d", seed)
	}
}

// ofNobody is a policy without a pack that owns telemetry of the random batches.
const ofNobody = "packs: [messaging]\ncontent: {default: keep, secrets: keep}"

// TestNobodysTelemetryPasses checks that telemetry that no pack owns passes, whatever its names, units and kinds are.
func TestNobodysTelemetryPasses(t *testing.T) {
	spanKind.checkNobodys(t)
	pointKind.checkNobodys(t)
	recordKind.checkNobodys(t)
}

// fuzz checks that any decodable request is processed without a panic and without the loss of an item. Processing
// it again changes nothing. The seeds are the first batches of all systems.
func (k kind[D]) fuzz(f *testing.F, part func(scenario.Batch) D) {
	start := time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)
	for _, name := range scenario.Names() {
		generator, err := scenario.New(name, 1, start)
		require.NoError(f, err)
		seed, err := k.marshal(part(generator.Next(start.Add(time.Second))))
		require.NoError(f, err)
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		batch, err := k.unmarshal(data)
		if err != nil {
			return
		}
		before := k.items(batch)
		once, _ := k.consume(t, hostWith(t, everything), defaultConfig(), batch)
		assert.Equal(t, before, k.items(once))
		_, again := k.consume(t, hostWith(t, everything), defaultConfig(), once)
		assert.Empty(t, again["changes"])
	})
}

func FuzzTraces(f *testing.F) {
	spanKind.fuzz(f, func(b scenario.Batch) ptrace.Traces { return b.Traces })
}

func FuzzMetrics(f *testing.F) {
	pointKind.fuzz(f, func(b scenario.Batch) pmetric.Metrics { return b.Metrics })
}

func FuzzLogs(f *testing.F) {
	recordKind.fuzz(f, func(b scenario.Batch) plog.Logs { return b.Logs })
}

// TestNoAttributeIsLost checks that each value stays in the map whatever keys become one, that no key
// becomes a duplicate, and that processing again changes nothing.
func TestNoAttributeIsLost(t *testing.T) {
	keys := []string{
		"node", "TC.node", "tc.node", "tc.Node", "artifact_id", "TC.artifact.id", "tc.artifact.id",
		"tc.Foo", "tc.FOO", "tc.foo", "component", "other",
	}
	p := started(t, processortest.NewNopSettings(metadata.Type), defaultConfig(), "logs")
	owner := p.namer.Systems()[slices.IndexFunc(p.namer.Systems(), func(s *naming.System) bool { return s.Name() == "tensorcast" })]
	long := p.newWalk() // it remembers the maps before
	for seed := range uint64(3000) {
		r := random{rand.New(rand.NewPCG(seed, 8))}
		m := pcommon.NewMap()
		for i, j := range r.Perm(len(keys))[:1+r.IntN(len(keys))] {
			m.PutInt(keys[j], int64(i))
		}
		before := m.Len()
		copies := []pcommon.Map{pcommon.NewMap(), pcommon.NewMap()}
		for _, again := range copies {
			m.CopyTo(again)
		}
		w := p.newWalk()
		w.attributes(m, owner)
		got := m.AsRaw() // AsRaw drops duplicate keys
		for _, again := range copies {
			long.attributes(again, owner)
			require.Equal(t, got, again.AsRaw(), "seed %d: what came before matters", seed)
		}
		require.Len(t, got, before, "seed %d: %v", seed, got)
		values := map[any]bool{}
		for _, value := range got {
			values[value] = true
		}
		require.Len(t, values, before, "seed %d: %v", seed, got)

		w = p.newWalk()
		w.attributes(m, owner)
		require.Equal(t, got, m.AsRaw(), "seed %d", seed)
		assert.Zero(t, w.changes[slot(naming.AttributeRename, owner)]+w.changes[slot(naming.AttributeKeyForm, owner)], "seed %d", seed)
	}
}

// Of a key that a sender has twice, both values stay.
func TestNoValueOfADuplicateKeyIsLost(t *testing.T) {
	p := started(t, processortest.NewNopSettings(metadata.Type), defaultConfig(), "logs")
	owner := p.namer.Systems()[slices.IndexFunc(p.namer.Systems(), func(s *naming.System) bool { return s.Name() == "tensorcast" })]
	for _, keys := range [][]string{{"node", "node"}, {"node", "other", "node", "artifact_id"}} {
		var b xpdata.MapBuilder
		for i, key := range keys {
			b.AppendEmpty(key).SetInt(int64(i))
		}
		m := pcommon.NewMap()
		b.UnsafeIntoMap(m)
		p.newWalk().attributes(m, owner)
		values := map[int64]bool{}
		for _, value := range m.All() {
			values[value.Int()] = true
		}
		assert.Len(t, values, len(keys))
	}
}
