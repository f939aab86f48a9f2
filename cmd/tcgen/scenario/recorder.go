// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"math/rand/v2"
	"slices"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

const (
	server   = ptrace.SpanKindServer
	client   = ptrace.SpanKindClient
	internal = ptrace.SpanKindInternal
	producer = ptrace.SpanKindProducer
	consumer = ptrace.SpanKindConsumer
)

// scenarioLength is the longest a scenario lasts, in milliseconds. Offsets into
// a scenario are whole milliseconds below it.
const scenarioLength = 2000

// root is the parent of a span that has none.
var root SpanRef

// recorder builds the Batch of one scenario.
type recorder struct {
	rng   *rand.Rand
	now   time.Time
	speed float64
	batch Batch
	// traceIDBytes is how many low bytes of a new trace id are random.
	traceIDBytes int
}

func newRecorder(rng *rand.Rand, now time.Time) *recorder {
	return &recorder{
		rng:          rng,
		now:          now,
		speed:        0.5 + rng.Float64()/2,
		traceIDBytes: len(pcommon.TraceID{}),
		batch: Batch{
			Traces:  ptrace.NewTraces(),
			Metrics: pmetric.NewMetrics(),
			Logs:    plog.NewLogs(),
		},
	}
}

// at is the time ms milliseconds into the scenario. Scenarios differ in speed,
// never in the order of what happens, and all end at or before now.
func (r *recorder) at(ms int) time.Time {
	left := float64(scenarioLength-ms) * r.speed
	return r.now.Add(-time.Duration(left * float64(time.Millisecond)))
}

// write adds a text log entry written inside span.
func (r *recorder) write(file string, ms int, span SpanRef, states States, text string) {
	r.batch.Lines = append(r.batch.Lines, Line{File: file, Time: r.at(ms), Text: text, Span: span, States: states})
}

// statesIDs is what an entry states in a format that has the ids of the span it is
// written in, if there is one.
func statesIDs(in SpanRef) States {
	if in == root {
		return StatesNothing
	}
	return StatesIDs
}

// pair notes that stages, in order of time, follow each other by rule.
func (r *recorder) pair(rule string, stages ...SpanRef) {
	for i := 1; i < len(stages); i++ {
		r.batch.Pairs = append(r.batch.Pairs, Pair{From: stages[i-1], To: stages[i], Rule: rule})
	}
}

func (r *recorder) finish() Batch {
	slices.SortStableFunc(r.batch.Lines, func(a, b Line) int { return a.Time.Compare(b.Time) })
	return r.batch
}

// process is one SDK instance: all it exports has one resource.
type process struct {
	rec     *recorder
	attrs   []any
	spans   *ptrace.ResourceSpans
	logs    *plog.ResourceLogs
	tracers map[string]tracer
	loggers map[string]logger
}

func (r *recorder) process(attrs ...any) *process {
	return &process{rec: r, attrs: attrs, tracers: map[string]tracer{}, loggers: map[string]logger{}}
}

// export adds the points of the process's meters.
func (p *process) export(meters ...*meter) {
	rm := p.rec.batch.Metrics.ResourceMetrics().AppendEmpty()
	put(rm.Resource().Attributes(), p.attrs...)
	for _, m := range meters {
		m.export(p.rec.now, rm.ScopeMetrics().AppendEmpty())
	}
}

type tracer struct {
	rec   *recorder
	spans ptrace.SpanSlice
}

func (p *process) tracer(scope string) tracer {
	if t, ok := p.tracers[scope]; ok {
		return t
	}
	if p.spans == nil {
		rs := p.rec.batch.Traces.ResourceSpans().AppendEmpty()
		put(rs.Resource().Attributes(), p.attrs...)
		p.spans = &rs
	}
	ss := p.spans.ScopeSpans().AppendEmpty()
	ss.Scope().SetName(scope)
	t := tracer{rec: p.rec, spans: ss.Spans()}
	p.tracers[scope] = t
	return t
}

type span struct {
	ptrace.Span
	rec *recorder
}

// span adds a span that lasts from one offset into the scenario to another.
func (t tracer) span(name string, kind ptrace.SpanKind, parent SpanRef, from, to int, kv ...any) span {
	s := t.spans.AppendEmpty()
	s.SetName(name)
	s.SetKind(kind)
	s.SetParentSpanID(parent.SpanID)
	s.SetTraceID(parent.TraceID)
	if parent == root {
		s.SetTraceID(t.rec.traceID())
	}
	s.SetSpanID(t.rec.spanID())
	s.SetStartTimestamp(pcommon.NewTimestampFromTime(t.rec.at(from)))
	s.SetEndTimestamp(pcommon.NewTimestampFromTime(t.rec.at(to)))
	put(s.Attributes(), kv...)
	return span{Span: s, rec: t.rec}
}

func (s span) ref() SpanRef { return SpanRef{TraceID: s.TraceID(), SpanID: s.SpanID()} }

func (s span) event(name string, ms int, kv ...any) {
	e := s.Events().AppendEmpty()
	e.SetName(name)
	e.SetTimestamp(pcommon.NewTimestampFromTime(s.rec.at(ms)))
	put(e.Attributes(), kv...)
}

func (s span) link(to span) {
	l := s.Links().AppendEmpty()
	l.SetTraceID(to.TraceID())
	l.SetSpanID(to.SpanID())
}

func (s span) fail(message string) {
	s.Status().SetCode(ptrace.StatusCodeError)
	s.Status().SetMessage(message)
}

type logger struct {
	rec     *recorder
	records plog.LogRecordSlice
}

func (p *process) logger(scope string) logger {
	if l, ok := p.loggers[scope]; ok {
		return l
	}
	if p.logs == nil {
		rl := p.rec.batch.Logs.ResourceLogs().AppendEmpty()
		put(rl.Resource().Attributes(), p.attrs...)
		p.logs = &rl
	}
	sl := p.logs.ScopeLogs().AppendEmpty()
	sl.Scope().SetName(scope)
	l := logger{rec: p.rec, records: sl.LogRecords()}
	p.loggers[scope] = l
	return l
}

// log adds a record with the ids of the span it was written in. All spans are
// sampled.
func (l logger) log(ms int, severity plog.SeverityNumber, in SpanRef, body string, kv ...any) {
	record := l.records.AppendEmpty()
	record.SetTimestamp(pcommon.NewTimestampFromTime(l.rec.at(ms)))
	record.SetObservedTimestamp(record.Timestamp())
	record.SetSeverityNumber(severity)
	record.SetSeverityText(severityTexts[severity])
	record.Body().SetStr(body)
	record.SetTraceID(in.TraceID)
	record.SetSpanID(in.SpanID)
	if in != root {
		record.SetFlags(plog.DefaultLogRecordFlags.WithIsSampled(true))
	}
	put(record.Attributes(), kv...)
}

var severityTexts = map[plog.SeverityNumber]string{
	plog.SeverityNumberDebug: "DEBUG",
	plog.SeverityNumberInfo:  "INFO",
	plog.SeverityNumberWarn:  "WARN",
	plog.SeverityNumberError: "ERROR",
}

// put sets attributes given as alternating keys and values. A value of a type
// that pdata does not know is a mistake in a scenario, hence the panic.
func put(m pcommon.Map, kv ...any) {
	for i := 0; i < len(kv); i += 2 {
		if err := m.PutEmpty(kv[i].(string)).FromRaw(kv[i+1]); err != nil {
			panic(err)
		}
	}
}
