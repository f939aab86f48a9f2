// SPDX-License-Identifier: Apache-2.0

package logcorrelationprocessor

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/processor/processortest"
	"go.yaml.in/yaml/v3"

	"github.com/otelcol-tc/otelcol-tc/internal/correlation"
	"github.com/otelcol-tc/otelcol-tc/processor/logcorrelationprocessor/internal/metadata"
	"github.com/otelcol-tc/otelcol-tc/tests/testfiles"
)

// ids are a record's trace and span as numbers, 0 for none.
func ids(record plog.LogRecord) [2]int {
	trace, span := record.TraceID(), record.SpanID()
	return [2]int{int(trace[15]), int(span[7])}
}

func TestWitnesses(t *testing.T) {
	r := newRig(t, indexConfig(), nil, nil)
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

func TestIndexMustBeThere(t *testing.T) {
	p, err := NewFactory().CreateLogs(t.Context(), processortest.NewNopSettings(metadata.Type), indexConfig(), consumertest.NewNop())
	require.NoError(t, err)
	assert.EqualError(t, p.Start(t.Context(), componenttest.NewNopHost()), `index: must be an extension of the service (got "correlation_index")`)
	assert.NoError(t, p.Shutdown(t.Context()))
}

// sharedRules are a rule for keys that several processes use.
const sharedRules = `
- {name: shared, key: {span_attribute: rid}, same_process: true, from: {kind: server}, logs: [{attribute: rid, ids: trace}]}
`

// TestProcesses plays the cases of testdata/processes.yaml.
func TestProcesses(t *testing.T) {
	cfg := holdingConfig()
	require.NoError(t, yaml.Unmarshal([]byte(sharedRules), &cfg.Rules))
	for _, c := range testfiles.Cases[struct {
		Name   string
		Split  bool
		Spans  []map[string]any
		Record map[string]any
		PID    any
		Trace  int
	}](t, "testdata/processes.yaml") {
		t.Run(c.Name, func(t *testing.T) {
			inBubble(t, cfg, func(t *testing.T, r *rig) {
				if c.Split {
					r.split("shared")
				}
				for i, process := range c.Spans {
					r.span("shared", "k", i+1, 11, process)
				}
				attributes := map[string]any{"rid": "k"}
				if c.PID != nil {
					attributes["process.pid"] = c.PID
				}
				log := scenarioLog{Resource: c.Record, Attributes: attributes, At: 5 * time.Second}
				require.NoError(t, r.p.ConsumeLogs(t.Context(), logsOf(t, []scenarioLog{log})))
				pass(hold)
				require.Len(t, r.records(), 1)
				assert.Equal(t, [2]int{c.Trace, 0}, ids(r.records()[0]))
			})
		})
	}
}
