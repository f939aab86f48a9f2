// SPDX-License-Identifier: Apache-2.0

package logcorrelationprocessor

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/processor/processortest"

	"github.com/otelcol-tc/otelcol-tc/extension/correlationindexextension"
	"github.com/otelcol-tc/otelcol-tc/internal/correlation"
	"github.com/otelcol-tc/otelcol-tc/processor/logcorrelationprocessor/internal/metadata"
)

// ids are a record's trace and span as numbers, 0 for none.
func ids(record plog.LogRecord) [2]int {
	trace, span := record.TraceID(), record.SpanID()
	return [2]int{int(trace[15]), int(span[7])}
}

func TestRecordsGetTheIDsOfTheSpanWithTheirKey(t *testing.T) {
	r := newRig(t, indexConfig(), nil)
	r.span("job", "one", 1, 11, nil)
	r.span("job", "two", 2, 21, nil)
	r.span("job", "two", 2, 22, nil)
	r.span("job", "many", 3, 31, nil)
	r.span("job", "many", 4, 41, nil)
	r.span("job", "tenant's", 5, 51, map[string]any{"tenant": "a"})
	r.span("request", "r", 6, 61, nil)
	for i := range 65 {
		r.span("job", "poisoned", 7, 70+i, nil)
	}
	f := func(want [2]int, fill func(plog.LogRecord)) {
		t.Helper()
		record, ok := r.send(fill)
		assert.True(t, ok)
		assert.Equal(t, want, ids(record))
		wantFlags := plog.LogRecordFlags(0)
		if want[1] != 0 {
			wantFlags = 1
		}
		assert.Equal(t, wantFlags, record.Flags())
	}
	f([2]int{1, 11}, withJob("one"))
	f([2]int{1, 11}, func(record plog.LogRecord) { record.Body().SetStr("INFO running one now") })
	f([2]int{1, 11}, func(record plog.LogRecord) { record.Body().SetStr("running one") })
	f([2]int{2, 0}, withJob("two"))
	f([2]int{}, withJob("many"))
	f([2]int{}, withJob("none"))
	f([2]int{}, withJob("other"))
	f([2]int{}, withJob("poisoned"))
	f([2]int{}, withJob("tenant's"))
	f([2]int{5, 51}, func(record plog.LogRecord) { withJob("tenant's")(record); record.Attributes().PutStr("tenant", "a") })
	f([2]int{6, 0}, func(record plog.LogRecord) { record.Attributes().PutStr("rid", "r") })
	// The first rule that gives something decides.
	f([2]int{6, 0}, func(record plog.LogRecord) { withJob("many")(record); record.Attributes().PutStr("rid", "r") })
	f([2]int{1, 11}, func(record plog.LogRecord) { withJob("one")(record); record.Attributes().PutStr("rid", "r") })
	assert.Equal(t, map[string]int64{"enriched index": 8, "unresolved": 5, "ambiguous": 1}, r.counted())
}

// TestTheIndexComesLast: it gives nothing to a record that another source has given a
// trace, or has two.
func TestTheIndexComesLast(t *testing.T) {
	r := newRig(t, indexConfig(), nil)
	r.span("job", "one", 1, 11, nil)
	record, _ := r.send(func(record plog.LogRecord) { withJob("one")(record); record.Body().SetStr("trace_id=" + traceHex) })
	assert.Equal(t, traceID, record.TraceID())
	assert.True(t, record.SpanID().IsEmpty())
	record, _ = r.send(func(record plog.LogRecord) {
		withJob("one")(record)
		record.Body().SetStr("trace_id=" + traceHex + " trace_id=" + otherTrace)
	})
	assert.True(t, record.TraceID().IsEmpty())
	// A span id without a trace is none.
	record, _ = r.send(func(record plog.LogRecord) {
		withJob("one")(record)
		record.SetSpanID(spanID)
		record.SetFlags(0xab02)
	})
	assert.Equal(t, [2]int{1, 11}, ids(record))
	assert.Equal(t, plog.LogRecordFlags(0xab02), record.Flags(), "it has some")
	assert.Equal(t, map[string]int64{"enriched text": 1, "enriched index": 1, "conflicts": 1, "unresolved": 1}, r.counted())
}

func TestWitnesses(t *testing.T) {
	r := newRig(t, indexConfig(), nil)
	members := func(job string) []correlation.Member {
		w := correlation.Writer{HashKey: r.index.HashKey()}
		r.rules[0].BeginKey(&w, pcommon.NewMap(), pcommon.NewMap())
		w.Add(job)
		var members []correlation.Member
		require.NoError(t, r.index.Do(t.Context(), []correlation.Request{{Key: w.Key()}},
			func(_ int, result correlation.Result) { members = append(members, result.Members...) }))
		for i := range members {
			members[i].Came, members[i].Decided = 0, 0
		}
		return members
	}
	queued := func(job, ids string) func(plog.LogRecord) {
		return func(record plog.LogRecord) {
			record.SetTimestamp(7_000_000)
			record.Body().SetStr("INFO job queued <" + job + "> " + ids)
		}
	}
	const both = " trace_id=" + traceHex + " span_id=" + spanHex + " trace_flags=01"
	for range 2 {
		r.send(queued("a job", both))
	}
	r.send(queued("b", " trace_id="+traceHex))
	r.send(queued("none", both))
	r.send(func(record plog.LogRecord) {
		record.SetTimestamp(0)
		record.SetObservedTimestamp(9_000_000)
		record.Body().SetStr("queued <c d e" + both)
	})
	ld := one(queued("d", both))
	ld.ResourceLogs().At(0).Resource().Attributes().PutStr("service.name", "other")
	require.NoError(t, r.p.ConsumeLogs(t.Context(), ld))

	assert.Equal(t, []correlation.Member{{
		TraceID: traceID, SpanID: spanID, Start: 7_000_000, End: 7_000_000, Stages: 1, Flags: 1, Log: true,
	}}, members("a job"))
	assert.Len(t, members("c"), 1)
	assert.Equal(t, pcommon.Timestamp(9_000_000), members("c")[0].Start)
	assert.Empty(t, members("b"), "it has no span")
	assert.Empty(t, members("d"), "another service")
	assert.Equal(t, int64(3), r.counted()["witnesses"])

	// A witness was written in an earlier stage: it gives no other log its ids.
	record, _ := r.send(withJob("a job"))
	assert.True(t, record.TraceID().IsEmpty())
	r.span("job", "a job", 1, 11, nil)
	record, _ = r.send(withJob("a job"))
	assert.Equal(t, [2]int{1, 11}, ids(record))
	// A log that has its ids from the index is a witness too.
	r.send(func(record plog.LogRecord) { withJob("a job")(record); record.Body().SetStr("queued <e>") })
	assert.Len(t, members("e"), 1)
	assert.Equal(t, spanOfNumber(11), members("e")[0].SpanID)
}

func TestUpperHalvesOfTraceIDs(t *testing.T) {
	cfg := indexConfig()
	r := newRig(t, cfg, func(c *correlationindexextension.Config) { c.TraceIds = true })
	id := func(upper, lower byte) pcommon.TraceID { return pcommon.TraceID{7: upper, 15: lower} }
	r.trace(id(1, 1), 1)
	r.trace(id(1, 1), 2)
	r.trace(id(1, 2), 3)
	r.trace(id(2, 2), 4)
	r.trace(id(0, 3), 5)
	r.trace(id(1, 3), 6)
	f := func(own, want pcommon.TraceID) {
		t.Helper()
		record, ok := r.send(func(record plog.LogRecord) {
			record.SetTraceID(own)
			record.SetSpanID(spanID)
		})
		assert.True(t, ok)
		assert.Equal(t, want, record.TraceID())
		assert.Equal(t, spanID, record.SpanID())
	}
	f(id(0, 1), id(1, 1))
	f(id(0, 2), id(0, 2)) // of two
	f(id(0, 3), id(0, 3)) // known as it is
	f(id(0, 4), id(0, 4)) // unknown
	f(id(3, 1), id(3, 1))
	// One from another source.
	record, _ := r.send(func(record plog.LogRecord) { record.Attributes().PutInt("dd.trace_id", 1) })
	assert.Equal(t, id(1, 1), record.TraceID())
	assert.Equal(t, map[string]int64{"valid": 5, "enriched vendor": 1, "resolved": 2, "ambiguous": 1}, r.counted())
}

func TestBatchesPassWhileTheIndexIsAway(t *testing.T) {
	r := newRig(t, indexConfig(), nil)
	r.span("job", "one", 1, 11, nil)
	r.index.goAway(true)
	record, ok := r.send(withJob("one"))
	assert.True(t, ok)
	assert.True(t, record.TraceID().IsEmpty())
	r.send(func(plog.LogRecord) {}) // nothing to ask
	r.index.goAway(false)
	record, _ = r.send(withJob("one"))
	assert.Equal(t, [2]int{1, 11}, ids(record))
	assert.Equal(t, map[string]int64{"enriched index": 1, "unresolved": 2, "index_failures": 1}, r.counted())
}

// TestShippedRules: TuFT's and FastDeploy's logs find the spans of their packs' rules.
func TestShippedRules(t *testing.T) {
	cfg := defaultConfig()
	cfg.Index = &indexID
	r := newRig(t, cfg, nil)
	const uuid = "6c1f9d1e-0b7a-4d2f-9a55-5be9a1f4c001"
	r.span("tuft.request", uuid, 1, 11, nil)
	process := map[string]any{"host.name": "a", "process.pid": 3100}
	r.span("fastdeploy.log", "cmpl-"+uuid, 2, 21, process)
	f := func(want [2]int, fill func(plog.LogRecord)) {
		t.Helper()
		record, _ := r.send(fill)
		assert.Equal(t, want, ids(record))
	}
	f([2]int{1, 11}, func(record plog.LogRecord) { record.Body().SetStr("Future begin: " + uuid) })
	f([2]int{1, 11}, func(record plog.LogRecord) { record.Attributes().PutStr("tuft.request_id", uuid) })
	for _, body := range []string{
		"Using existing active span from context as root for RID: " + uuid, "Continuing upstream trace for RID=chatcmpl-" + uuid,
		"Initialize request cmpl-" + uuid + ": prompt='hello'", "num_insert_requests: 2, req_ids: ['cmpl-" + uuid + "_0', '" + uuid + "_1']",
		"req_ids=[" + uuid + "::n::1]", "aborted (cmpl-" + uuid + "::n::0).",
	} {
		ld := one(func(record plog.LogRecord) { record.SetTimestamp(spanStart + 1); record.Body().SetStr(body) })
		require.NoError(t, ld.ResourceLogs().At(0).Resource().Attributes().FromRaw(process))
		require.NoError(t, r.p.ConsumeLogs(t.Context(), ld))
		assert.Equal(t, [2]int{2, 0}, ids(r.records()[len(r.records())-1]), body)
	}
	f([2]int{}, func(record plog.LogRecord) { record.Body().SetStr("Future enqueued: " + uuid) })
	f([2]int{int(traceID[15]), int(spanID[7])}, func(record plog.LogRecord) {
		record.Body().SetStr("Future enqueued: " + uuid + " trace_id=" + traceHex + " span_id=" + spanHex)
	})
	assert.Equal(t, int64(1), r.counted()["witnesses"])
}

func TestIndexMustBeThere(t *testing.T) {
	p, err := NewFactory().CreateLogs(t.Context(), processortest.NewNopSettings(metadata.Type), indexConfig(), consumertest.NewNop())
	require.NoError(t, err)
	assert.EqualError(t, p.Start(t.Context(), componenttest.NewNopHost()), `index: must be an extension of the service (got "correlation_index")`)
	assert.NoError(t, p.Shutdown(t.Context()))
}
