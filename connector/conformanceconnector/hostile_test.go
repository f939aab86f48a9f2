// SPDX-License-Identifier: Apache-2.0

package conformanceconnector

import (
	"context"
	"math"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/pmetric/pmetricotlp"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-tc/otelcol-tc/internal/conformance"
)

// TestLongComponents checks that component names are shortened like other names.
func TestLongComponents(t *testing.T) {
	s := newTestState(t, nil)
	for i := range 20 {
		tr := newTree(newRand(uint64(i)))
		tr.span("shop", "C"+strconv.Itoa(i)+strings.Repeat("x", 1<<20)+"/Do", internal, none, 0, 1)
		s.judgeTraces(context.Background(), tr.td)
	}
	s.judgeAll()
	require.NotEmpty(t, s.now().Components)
	for _, c := range s.now().Components {
		assert.LessOrEqual(t, len(c.Name), conformance.MaxText)
	}
}

// TestInvalidUTF8 checks that all output is valid UTF-8. protobuf refuses a batch with an invalid text.
func TestInvalidUTF8(t *testing.T) {
	const bad = "shop\xff"
	s := newTestState(t, nil)
	md, ld, tr := pmetric.NewMetrics(), plog.NewLogs(), newTree(newRand(1))
	gauge(md, bad, bad, bad, "a", "b")
	s.judgeMetrics(context.Background(), md)
	addRecords(ld, bad, bad, 1, func(r plog.LogRecord) { r.Attributes().PutStr(bad, bad) })
	s.judgeLogs(context.Background(), ld)
	span := tr.span(bad, bad+"/Do", internal, newSpanID(tr.rng), 0, 1)
	span.Attributes().PutStr(linkRuleKey, bad)
	span.Links().AppendEmpty().Attributes().PutStr(linkRuleKey, bad)
	s.judgeTraces(context.Background(), tr.td)
	s.judgeAll()
	r := s.now()
	require.GreaterOrEqual(t, len(r.Findings), 3)
	for _, record := range records(r, pcommon.NewResource()).ResourceLogs().At(0).ScopeLogs().At(0).LogRecords().All() {
		assert.True(t, utf8.ValidString(record.Body().Str()))
		for key, value := range record.Attributes().All() {
			assert.True(t, utf8.ValidString(value.AsString()), key)
		}
	}
	text, err := pmetricotlp.NewExportRequestFromMetrics(scores(r, pcommon.NewResource())).MarshalJSON()
	require.NoError(t, err)
	assert.True(t, utf8.Valid(text))
	assert.Contains(t, string(text), "shop\ufffd")
	assert.Equal(t, "shop\ufffd", r.Services[0].Name)
}

// TestExtremeTimes checks extreme timestamps. Impossible ones show nothing about clocks.
func TestExtremeTimes(t *testing.T) {
	f := func(clientEnd, serverStart, serverEnd pcommon.Timestamp) []conformance.Skew {
		s, tr := newTestState(t, nil), newTree(newRand(1))
		tr.span("a", "Comp/A", ptrace.SpanKindClient, none, 0, 1).SetEndTimestamp(clientEnd)
		c := tr.td.ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(0)
		v := tr.span("b", "Comp/B", ptrace.SpanKindServer, c.SpanID(), 0, 1)
		v.SetStartTimestamp(serverStart)
		v.SetEndTimestamp(serverEnd)
		s.judgeTraces(context.Background(), tr.td)
		s.judgeAll()
		return s.now().Skews
	}
	skews := f(math.MaxUint64, math.MaxUint64, math.MaxUint64)
	require.Len(t, skews, 1)
	assert.GreaterOrEqual(t, skews[0].Uncertain, time.Duration(0))
	assert.Empty(t, f(math.MaxUint64, 0, math.MaxUint64))
	assert.Empty(t, f(math.MaxUint64, math.MaxUint64, 0))
	assert.Empty(t, f(0, math.MaxUint64, math.MaxUint64))
}

// TestSpansWithoutID checks that spans without an id are not taken for duplicates.
func TestSpansWithoutID(t *testing.T) {
	s, tr := newTestState(t, nil), newTree(newRand(1))
	for range 3 {
		tr.span("a", "Comp/A", internal, none, 0, 1).SetSpanID(none)
	}
	s.judgeTraces(context.Background(), tr.td)
	s.judgeAll()
	assert.EqualValues(t, 3, serviceOf(t, s.now(), "a").Spans)
}

// FuzzTraces checks arbitrary spans. Each span must be counted once.
func FuzzTraces(f *testing.F) {
	tr := newTree(newRand(1))
	a := tr.span("tuft", "training_controller.run_forward", internal, none, 0, 100)
	b := tr.span("tuft", "training_backend.forward", internal, a.SpanID(), 0, 200)
	a.SetParentSpanID(b.SpanID()) // each is the parent of the other
	a.Links().AppendEmpty().Attributes().PutStr(linkRuleKey, "x")
	seed, _ := (&ptrace.ProtoMarshaler{}).MarshalTraces(tr.td)
	f.Add(seed)
	f.Fuzz(func(t *testing.T, data []byte) {
		td, err := (&ptrace.ProtoUnmarshaler{}).UnmarshalTraces(data)
		if err != nil {
			return
		}
		s := newTestState(t, func(c *Config) { c.MaxTraces, c.MaxSpans, c.MaxFindings = 8, 16, 8 })
		s.judgeTraces(context.Background(), td)
		s.judgeAll()
		r := s.report(time.Now(), true)
		var checked int64
		for _, svc := range r.Services {
			n, right := scoreOf(&svc, "traces")
			assert.LessOrEqual(t, right, n)
			checked += n
		}
		assert.EqualValues(t, td.SpanCount(), checked)
		s.assertNoneWait(t)
		scores(r, pcommon.NewResource())
		records(r, pcommon.NewResource())
	})
}
