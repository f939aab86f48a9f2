// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-tc/otelcol-tc/cmd/tcgen/scenario"
)

const traceLog = "fastdeploy_mixed-0_trace.log"

// ref is a span of trace n, or none.
func ref(n byte) (s scenario.SpanRef) {
	if n > 0 {
		s.TraceID[15], s.SpanID[7] = n, n
	}
	return s
}

// logReport is a report of logs that came out as they were sent: records of TuFT, of which one was sent twice, and a file
// with an entry for each way to state ids.
func logReport() *reporter {
	r := &reporter{to: &bytes.Buffer{}, sent: newSent(), out: newOutput()}
	at := time.UnixMilli(1)
	begin := scenario.Line{Time: at, Text: "begin", Span: ref(1), States: scenario.StatesNative}
	r.sent.lines["tuft"] = []scenario.Line{begin, begin, {Time: at, Text: "sweep", States: scenario.StatesNothing}}
	r.sent.lines[traceLog] = []scenario.Line{
		{Time: at, Text: "INFO a", Span: ref(1), States: scenario.StatesIDs},
		{Time: at, Text: "INFO b", Span: ref(1), States: scenario.StatesTrace},
		{Time: at, Text: "INFO c\n  d", Span: ref(1), States: scenario.StatesConflict},
		{Time: at, Text: "INFO e", States: scenario.StatesNothing},
	}
	span := ptrace.NewSpan()
	span.SetTraceID(ref(1).TraceID)
	span.Attributes().PutStr("rid", "chatcmpl-O b")
	r.out.of("fastdeploy").spans = []ptrace.Span{span}
	r.out.of("tuft").records = []plog.LogRecord{record("begin", ref(1)), record("begin", ref(1)), record("sweep", ref(0))}
	r.out.of(traceLog).records = []plog.LogRecord{
		record("a", ref(1)), record("b", scenario.SpanRef{TraceID: ref(1).TraceID}), record("c\n  d", ref(0)), record("e", ref(0)),
	}
	return r
}

func record(body string, in scenario.SpanRef) plog.LogRecord {
	r := plog.NewLogRecord()
	r.SetTimestamp(pcommon.NewTimestampFromTime(time.UnixMilli(1)))
	r.Body().SetStr(body)
	r.SetTraceID(in.TraceID)
	r.SetSpanID(in.SpanID)
	return r
}

func TestLogs(t *testing.T) {
	f := func(want string, change func(tuft, file *source)) {
		t.Helper()
		r := logReport()
		change(r.out.of("tuft"), r.out.of(traceLog))
		holds(t, r, r.logs, want)
	}
	f("tuft 3 → 3 2 of 2 (100 %) – 2 of 2 (100 %)", func(_, _ *source) {})
	f("fastdeploy_mixed-0_trace.log 4 → 4 1 of 1 (100 %) 1 of 1 (100 %) 2 of 3 (66 %)", func(_, _ *source) {})
	f("fault tuft: 3 logs in, 2 out", func(tuft, _ *source) { tuft.records = tuft.records[1:] })
	f("fault tuft: 3 logs in, 4 out, of which 1 were not sent", func(tuft, _ *source) { tuft.records = append(tuft.records, record("sweep", ref(0))) })
	f("fault "+traceLog+": 4 logs in, 3 out, of which 0 were not sent", func(_, file *source) { file.records = file.records[1:] })
	f("fault "+traceLog+": 4 logs in, 4 out, of which 1 were not sent", func(_, file *source) { file.records[1].Body().SetStr("b and more") })
	f("fault "+traceLog+": 4 logs in, 4 out, of which 1 were not sent", func(_, file *source) { file.records[1].Body().SetStr("") })
	f("wrong ids", func(_, file *source) { file.records[2].SetTraceID(ref(2).TraceID) })
	f("wrong ids", func(_, file *source) { file.records[0].SetTraceID(pcommon.TraceID{}) })
	f("wrong ids", func(tuft, _ *source) { tuft.records[2] = record("sweep", ref(1)) })
	f("1 logs state their span, 0 came out in it", func(_, file *source) { file.records[0].SetSpanID(pcommon.SpanID{}) })
	f("fault "+traceLog+": 1 logs name their request, 0 came out in its trace", func(_, file *source) { file.records[1] = record("b", ref(0)) })
}

// linkReport is a report of spans that came out linked as they belong together. Each of the spans is the only one of its
// trace: 1 to 4 are TuFT's, 5 and 6 PyTango's.
func linkReport() (r *reporter, spans []ptrace.Span) {
	r = &reporter{to: &bytes.Buffer{}, sent: newSent(), out: newOutput()}
	r.sent.pairs[edge{ref(1), ref(2)}] = pair{"tuft", true}
	r.sent.pairs[edge{ref(2), ref(3)}] = pair{"tuft", true}
	r.sent.pairs[edge{ref(3), ref(4)}] = pair{"tuft", false}
	r.sent.pairs[edge{ref(5), ref(6)}] = pair{"pytango", true}
	for n := range byte(7) {
		span := ptrace.NewSpan()
		span.SetTraceID(ref(n).TraceID)
		span.SetSpanID(ref(n).SpanID)
		spans = append(spans, span)
	}
	r.out.of("tuft").spans, r.out.of("pytango").spans = spans[1:5], spans[5:]
	link(spans[2], 1, "tuft.request")
	link(spans[2], 3, "tuft.session").Attributes().PutStr("tc.link.direction", "forward")
	link(spans[6], 5, "pytango.client")
	return r, spans
}

// link adds a link to span n; one without a rule was sent.
func link(span ptrace.Span, n byte, rule string) ptrace.SpanLink {
	l := span.Links().AppendEmpty()
	l.SetTraceID(ref(n).TraceID)
	l.SetSpanID(ref(n).SpanID)
	if rule != "" {
		l.Attributes().PutStr("tc.link.rule", rule)
	}
	return l
}

func TestLinks(t *testing.T) {
	f := func(want string, change func(spans []ptrace.Span)) {
		t.Helper()
		r, spans := linkReport()
		change(spans)
		holds(t, r, r.links, want)
	}
	f("tuft 4 3 2 of 2 (100 %) 0", func([]ptrace.Span) {})
	// Nothing is wrong with a link that is true and was not to be found.
	f("tuft 4 4 2 of 2 (100 %) 0", func(s []ptrace.Span) { link(s[4], 3, "own") })
	// What was sent is neither right nor wrong.
	f("tuft 4 3 2 of 2 (100 %) 0", func(s []ptrace.Span) { link(s[4], 1, "") })
	f("fault pytango: 1 pairs of spans belong together, 0 came out linked", func(s []ptrace.Span) {
		s[6].Links().RemoveIf(func(ptrace.SpanLink) bool { return true })
	})
	f("which do not belong together", func(s []ptrace.Span) { link(s[3], 1, "tuft.session") })
	f("fault pytango: wrong link", func(s []ptrace.Span) { link(s[6], 1, "tuft.session") })
	f("which do not belong together", func(s []ptrace.Span) { link(s[3], 4, "own") })
	f("which do not belong together", func(s []ptrace.Span) { s[6].Links().At(0).Attributes().PutStr("tc.link.direction", "forward") })
	f("fault tuft: wrong link", func(s []ptrace.Span) { link(s[1], 1, "own") })
	f("linked twice", func(s []ptrace.Span) { link(s[2], 1, "tuft.request") })
	f("linked twice", func(s []ptrace.Span) { link(s[3], 2, "tuft.session") })
}

// holds checks that a part of the report has a text in its table, or as a fault. There are no faults but those wanted.
func holds(t *testing.T, r *reporter, part func() error, want string) {
	t.Helper()
	if err := part(); err != nil {
		t.Fatal(err)
	}
	got := r.to.(*bytes.Buffer).String()
	for _, fault := range r.faults {
		got += "\nfault " + fault.Error()
	}
	if !strings.Contains(strings.Join(strings.Fields(got), " "), want) {
		t.Errorf("no %q in:\n%s", want, got)
	}
	if strings.Contains(want, "%") && len(r.faults) > 0 {
		t.Error(errors.Join(r.faults...))
	}
}

// counted adds a counter that started after the collector, of so many instances.
func counted(o output, name, original string, values ...int64) {
	md := pmetric.NewMetrics()
	rm := md.ResourceMetrics().AppendEmpty()
	rm.Resource().Attributes().PutStr("service.name", "TuFT")
	m := rm.ScopeMetrics().AppendEmpty().Metrics().AppendEmpty()
	m.SetName(name)
	m.Metadata().PutStr("tc.original_name", original)
	m.SetEmptySum().SetIsMonotonic(true)
	for i, value := range values {
		p := m.Sum().DataPoints().AppendEmpty()
		p.SetStartTimestamp(1)
		p.SetTimestamp(2)
		p.SetIntValue(value)
		p.Attributes().PutInt("instance", int64(i))
	}
	o.addMetrics(md)
}

func TestItems(t *testing.T) {
	f := func(want string, cameOut func(o output)) {
		t.Helper()
		r := &reporter{to: &bytes.Buffer{}, sent: newSent(), out: newOutput(), since: time.Unix(0, 0)}
		counted(r.sent.metrics, "runs", "", 2, 3)
		cameOut(r.out)
		holds(t, r, r.items, want)
	}
	f("tuft 0 → 0 2 → 1 1 0", func(o output) { counted(o, "tc_tuft_runs", "runs", 5) })
	f("fault tuft: runs: counted 5 in, 4 out", func(o output) { counted(o, "tc_tuft_runs", "runs", 4) })
	f(`fault tuft: metric lost: "runs"`, func(output) {})
	f("fault tuft: 2 metric points in, 3 out", func(o output) { counted(o, "tc_tuft_runs", "runs", 2, 2, 1) })
	f(`fault tuft: name left: "tuft_runs"`, func(o output) { counted(o, "tuft_runs", "runs", 5) })
	f("fault tuft: two points of one series at one time", func(o output) {
		counted(o, "tc_tuft_runs", "runs", 5)
		counted(o, "tc_tuft_runs", "runs", 5)
	})
}
