// SPDX-License-Identifier: Apache-2.0

package wire

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/plog/plogotlp"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/pmetric/pmetricotlp"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
	"go.opentelemetry.io/collector/pdata/xpdata/entity"
)

// sample is a request with all fields, in both encodings.
type sample struct {
	signal      signal
	proto, json []byte
}

func samples(t testing.TB, items int) []sample {
	t.Helper()
	requests := [][2]func() ([]byte, error){}
	traces := ptraceotlp.NewExportRequestFromTraces(sampleTraces(items))
	requests = append(requests, [2]func() ([]byte, error){traces.MarshalProto, traces.MarshalJSON})
	metrics := pmetricotlp.NewExportRequestFromMetrics(sampleMetrics(items))
	requests = append(requests, [2]func() ([]byte, error){metrics.MarshalProto, metrics.MarshalJSON})
	logs := plogotlp.NewExportRequestFromLogs(sampleLogs(items))
	requests = append(requests, [2]func() ([]byte, error){logs.MarshalProto, logs.MarshalJSON})

	var all []sample
	for i, marshal := range requests {
		proto, err := marshal[0]()
		require.NoError(t, err)
		json, err := marshal[1]()
		require.NoError(t, err)
		all = append(all, sample{signals[i], proto, json})
	}
	return all
}

func sampleResource(r pcommon.Resource) {
	fill(r.Attributes())
	ref := entity.ResourceEntityRefs(r).AppendEmpty()
	ref.SetType("service")
	ref.IdKeys().Append("service.name", "")
	ref.DescriptionKeys().Append("service.version")
}

// fill adds a value of each type.
func fill(m pcommon.Map) {
	m.PutStr("service.name", "tensorcast \"store\" \\")
	m.PutInt("rank", 1<<40)
	m.PutBool("leader", true)
	m.PutDouble("share", 0.5)
	m.PutEmptyBytes("raw").FromRaw([]byte{1, 2, 3})
	m.PutEmpty("nothing")
	list := m.PutEmptySlice("list")
	list.AppendEmpty().SetEmptyMap().PutEmptySlice("{[,null").AppendEmpty().SetStr("null,{")
	list.AppendEmpty()
}

func sampleTraces(items int) ptrace.Traces {
	td := ptrace.NewTraces()
	rs := td.ResourceSpans().AppendEmpty()
	sampleResource(rs.Resource())
	ss := rs.ScopeSpans().AppendEmpty()
	ss.Scope().SetName("sample")
	fill(ss.Scope().Attributes())
	for range items {
		s := ss.Spans().AppendEmpty()
		s.SetName("Store/Put")
		s.SetTraceID([16]byte{1})
		s.SetSpanID([8]byte{1})
		s.SetParentSpanID([8]byte{2})
		s.SetStartTimestamp(1_700_000_000_000_000_000)
		s.SetEndTimestamp(1_700_000_000_000_000_001)
		s.Status().SetMessage("evicted")
		fill(s.Attributes())
		fill(s.Events().AppendEmpty().Attributes())
		fill(s.Links().AppendEmpty().Attributes())
	}
	return td
}

func sampleLogs(items int) plog.Logs {
	ld := plog.NewLogs()
	rl := ld.ResourceLogs().AppendEmpty()
	sampleResource(rl.Resource())
	sl := rl.ScopeLogs().AppendEmpty()
	for range items {
		lr := sl.LogRecords().AppendEmpty()
		lr.SetTimestamp(1_700_000_000_000_000_000)
		lr.SetSeverityText("INFO")
		lr.Body().SetStr("4 shards were evicted from the store, which is {full}")
		fill(lr.Attributes())
	}
	return ld
}

func sampleMetrics(items int) pmetric.Metrics {
	md := pmetric.NewMetrics()
	rm := md.ResourceMetrics().AppendEmpty()
	sampleResource(rm.Resource())
	sm := rm.ScopeMetrics().AppendEmpty()
	for range items {
		next := func() pmetric.Metric {
			m := sm.Metrics().AppendEmpty()
			m.SetName("tc.requests")
			m.SetUnit("1")
			m.Metadata().PutStr("prometheus.type", "counter")
			return m
		}
		number := next().SetEmptyGauge().DataPoints().AppendEmpty()
		number.SetIntValue(1)
		fill(number.Attributes())
		number = next().SetEmptySum().DataPoints().AppendEmpty()
		number.SetDoubleValue(1)
		number.Exemplars().AppendEmpty().SetIntValue(1)
		h := next().SetEmptyHistogram().DataPoints().AppendEmpty()
		h.BucketCounts().FromRaw([]uint64{1, 2, 300})
		h.ExplicitBounds().FromRaw([]float64{1, 2})
		fill(h.Exemplars().AppendEmpty().FilteredAttributes())
		e := next().SetEmptyExponentialHistogram().DataPoints().AppendEmpty()
		e.Positive().BucketCounts().FromRaw([]uint64{1, 0, 1 << 63, 127, 128})
		e.Negative().BucketCounts().FromRaw([]uint64{1 << 20})
		fill(e.Attributes())
		e.Exemplars().AppendEmpty()
		s := next().SetEmptySummary().DataPoints().AppendEmpty()
		s.QuantileValues().AppendEmpty().SetQuantile(0.5)
		s.QuantileValues().AppendEmpty()
		fill(s.Attributes())
		next()
	}
	return md
}
