// SPDX-License-Identifier: Apache-2.0

package namingprocessor

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-tc/otelcol-tc/internal/soak"
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

// TestTracesProperties checks that nothing is lost, that enforcing twice equals enforcing once, and that
// audit mode changes nothing and has the counts of enforce mode.
func TestTracesProperties(t *testing.T) {
	marshal := func(td ptrace.Traces) string {
		b, err := (&ptrace.ProtoMarshaler{}).MarshalTraces(td)
		require.NoError(t, err)
		return string(b)
	}
	audit := defaultConfig()
	audit.Mode = "audit"
	for seed := range uint64(soak.Count(t, "TC_HISTORIES", 300)) {
		r := random{rand.New(rand.NewPCG(seed, 1))}
		in := r.traces()
		before := marshal(in)

		same, audited := consumeTraces(t, audit, in)
		assert.Equal(t, before, marshal(same), "seed %d", seed)

		spans := in.SpanCount()
		once, enforced := consumeTraces(t, defaultConfig(), in)
		assert.Equal(t, audited, enforced, "seed %d", seed)
		assert.Equal(t, spans, once.SpanCount(), "seed %d", seed)
		after := marshal(once)

		twice, again := consumeTraces(t, defaultConfig(), once)
		assert.Equal(t, after, marshal(twice), "seed %d", seed)
		assert.Empty(t, again["changes"], "seed %d", seed)
	}
}

// TestMetricsProperties checks the same for metrics.
func TestMetricsProperties(t *testing.T) {
	marshal := func(md pmetric.Metrics) string {
		b, err := (&pmetric.ProtoMarshaler{}).MarshalMetrics(md)
		require.NoError(t, err)
		return string(b)
	}
	audit := defaultConfig()
	audit.Mode = "audit"
	for seed := range uint64(soak.Count(t, "TC_HISTORIES", 300)) {
		r := random{rand.New(rand.NewPCG(seed, 2))}
		in := r.metrics()
		before := marshal(in)

		same, audited := consumeMetrics(t, audit, in)
		require.Len(t, same, 1)
		assert.Equal(t, before, marshal(same[0]), "seed %d", seed)

		points := in.DataPointCount()
		once, enforced := consumeMetrics(t, defaultConfig(), in)
		require.Len(t, once, 1)
		assert.Equal(t, audited, enforced, "seed %d", seed)
		assert.Equal(t, points, once[0].DataPointCount(), "seed %d", seed)
		after := marshal(once[0])

		twice, again := consumeMetrics(t, defaultConfig(), once[0])
		require.Len(t, twice, 1)
		assert.Equal(t, after, marshal(twice[0]), "seed %d", seed)
		assert.Empty(t, again["changes"], "seed %d", seed)
	}
}

// TestLogsProperties checks the same for log records.
func TestLogsProperties(t *testing.T) {
	marshal := func(ld plog.Logs) string {
		b, err := (&plog.ProtoMarshaler{}).MarshalLogs(ld)
		require.NoError(t, err)
		return string(b)
	}
	audit := defaultConfig()
	audit.Mode = "audit"
	for seed := range uint64(soak.Count(t, "TC_HISTORIES", 300)) {
		r := random{rand.New(rand.NewPCG(seed, 6))}
		in := r.logs()
		before := marshal(in)

		same, audited := consumeLogs(t, audit, in)
		assert.Equal(t, before, marshal(same), "seed %d", seed)

		records := in.LogRecordCount()
		once, enforced := consumeLogs(t, defaultConfig(), in)
		assert.Equal(t, audited, enforced, "seed %d", seed)
		assert.Equal(t, records, once.LogRecordCount(), "seed %d", seed)
		after := marshal(once)

		twice, again := consumeLogs(t, defaultConfig(), once)
		assert.Equal(t, after, marshal(twice), "seed %d", seed)
		assert.Empty(t, again["changes"], "seed %d", seed)
	}
}
