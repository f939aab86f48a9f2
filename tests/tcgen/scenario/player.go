// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"text/template"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// scenarioLength is the longest a scenario lasts, in milliseconds. Offsets into
// a scenario are whole milliseconds below it.
const scenarioLength = 2000

// player is the Generator that plays the file of a system.
type player struct {
	name   string
	rng    *rand.Rand
	script *template.Template
	meters []*meter
	page   *page // nil for a system that is not scraped
	// traceIDBytes is how many low bytes of a new trace id are random.
	traceIDBytes int
	// number counts the scenarios.
	number int
	// memory is what scenarios leave to the next.
	memory map[string]any

	// Of the scenario that is played.
	now   time.Time
	speed float64
}

func newPlayer(name string, rng *rand.Rand, start time.Time) (Generator, error) {
	p := &player{name: name, rng: rng, memory: map[string]any{}}
	d, err := p.load()
	if err != nil {
		return nil, err
	}
	p.traceIDBytes = len(pcommon.TraceID{})
	if d.TraceIDBytes != 0 {
		p.traceIDBytes = d.TraceIDBytes
	}
	for _, name := range sortedKeys(d.Meters) {
		p.meters = append(p.meters, newMeter(name, d.Meters[name], start))
	}
	if d.Page != nil {
		if p.page, err = newPage(start, *d.Page, d.Sets); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return p, nil
}

// Name returns the system's name.
func (p *player) Name() string { return p.name }

// Gatherer exposes the page.
func (p *player) Gatherer() prometheus.Gatherer {
	if p.page == nil {
		return nil
	}
	return p.page.registry
}

// Next returns the telemetry of one more scenario. A file that cannot be played is a mistake in it, hence the panic.
func (p *player) Next(now time.Time) Batch {
	p.now, p.speed = now, 0.5+p.rng.Float64()/2
	var s script
	if err := render(p.script, &s); err != nil {
		panic(err)
	}
	b := newRecorder(s.Processes)
	for _, i := range s.Items {
		switch {
		case i.Span != nil:
			p.addSpan(b.tracer(i.Span.Tracer), *i.Span)
		case i.Log != nil:
			p.addLog(b.logger(i.Log.Logger), *i.Log)
		case i.Line != nil:
			b.batch.Lines = append(b.batch.Lines, p.line(*i.Line))
		case i.Record != nil:
			p.meter(i.Record.Meter).record(i.Record.Name, i.Record.Value, i.Record.Attributes)
		case i.Pair != nil:
			b.addPair(*i.Pair)
		}
	}
	slices.SortStableFunc(b.batch.Lines, func(a, b Line) int { return a.Time.Compare(b.Time) })
	for _, m := range p.meters {
		m.export(now, b.metrics(m.process).AppendEmpty())
	}
	if p.page != nil {
		p.page.move(now, p.rng, s.Instances)
	}
	p.number++
	return b.batch
}

// at is the time ms milliseconds into the scenario. Scenarios differ in speed,
// never in the order of what happens, and all end at or before now.
func (p *player) at(ms int) time.Time {
	left := float64(scenarioLength-ms) * p.speed
	return p.now.Add(-time.Duration(left * float64(time.Millisecond)))
}

func (p *player) timestamp(ms int) pcommon.Timestamp { return pcommon.NewTimestampFromTime(p.at(ms)) }

func (p *player) meter(name string) *meter {
	i := slices.IndexFunc(p.meters, func(m *meter) bool { return m.name == name })
	return p.meters[i]
}

var spanKinds = map[string]ptrace.SpanKind{
	"server":   ptrace.SpanKindServer,
	"client":   ptrace.SpanKindClient,
	"":         ptrace.SpanKindInternal,
	"producer": ptrace.SpanKindProducer,
	"consumer": ptrace.SpanKindConsumer,
}

func (p *player) addSpan(spans ptrace.SpanSlice, from scriptSpan) {
	s := spans.AppendEmpty()
	id := from.ID
	if id == "" {
		id = p.newSpan(from.Under)
	}
	s.SetName(from.Name)
	s.SetKind(spanKinds[from.Kind])
	s.SetTraceID(id.ref().TraceID)
	s.SetSpanID(id.ref().SpanID)
	s.SetParentSpanID(from.Under.ref().SpanID)
	s.SetStartTimestamp(p.timestamp(from.Ms[0]))
	s.SetEndTimestamp(p.timestamp(from.Ms[1]))
	if from.Start != 0 {
		s.SetStartTimestamp(pcommon.Timestamp(from.Start))
	}
	put(s.Attributes(), from.Attributes)
	for _, event := range from.Events {
		e := s.Events().AppendEmpty()
		e.SetName(event.Name)
		e.SetTimestamp(p.timestamp(event.Ms))
		put(e.Attributes(), event.Attributes)
	}
	for _, to := range from.Links {
		l := s.Links().AppendEmpty()
		l.SetTraceID(to.ref().TraceID)
		l.SetSpanID(to.ref().SpanID)
	}
	if from.Error != "" {
		s.Status().SetCode(ptrace.StatusCodeError)
		s.Status().SetMessage(from.Error)
	}
}

var severities = map[string]plog.SeverityNumber{
	"DEBUG": plog.SeverityNumberDebug,
	"INFO":  plog.SeverityNumberInfo,
	"WARN":  plog.SeverityNumberWarn,
	"ERROR": plog.SeverityNumberError,
}

// addLog adds a record with the ids of the span it was written in. All spans are sampled.
func (p *player) addLog(records plog.LogRecordSlice, from scriptLog) {
	r := records.AppendEmpty()
	r.SetTimestamp(p.timestamp(from.Ms))
	r.SetObservedTimestamp(r.Timestamp())
	r.SetSeverityNumber(severities[from.Severity])
	r.SetSeverityText(from.Severity)
	r.Body().SetStr(from.Text)
	if from.In != "" {
		r.SetTraceID(from.In.ref().TraceID)
		r.SetSpanID(from.In.ref().SpanID)
		r.SetFlags(plog.DefaultLogRecordFlags.WithIsSampled(true))
	}
	put(r.Attributes(), from.Attributes)
}

func (p *player) line(from scriptLine) Line {
	states := from.States
	if states == "" {
		states = StatesNothing
	}
	return Line{File: from.File, Time: p.at(from.Ms), Text: from.Text, Span: from.In.ref(), States: states}
}

// recorder puts what is sent of one scenario into one Batch, under the resource and the scope that it comes from.
type recorder struct {
	processes map[string]map[string]any
	batch     Batch
	spans     map[string]ptrace.ResourceSpans
	tracers   map[string]ptrace.SpanSlice
	logs      map[string]plog.ResourceLogs
	loggers   map[string]plog.LogRecordSlice
	scopes    map[string]pmetric.ScopeMetricsSlice
}

func newRecorder(processes map[string]map[string]any) *recorder {
	return &recorder{
		processes: processes,
		batch:     Batch{Traces: ptrace.NewTraces(), Metrics: pmetric.NewMetrics(), Logs: plog.NewLogs()},
		spans:     map[string]ptrace.ResourceSpans{},
		tracers:   map[string]ptrace.SpanSlice{},
		logs:      map[string]plog.ResourceLogs{},
		loggers:   map[string]plog.LogRecordSlice{},
		scopes:    map[string]pmetric.ScopeMetricsSlice{},
	}
}

// member returns what a map has by a name, or what is made for it.
func member[V any](members map[string]V, name string, make func() V) V {
	if _, known := members[name]; !known {
		members[name] = make()
	}
	return members[name]
}

func (r *recorder) resource(to pcommon.Resource, process string) {
	attributes, known := r.processes[process]
	if !known {
		panic("no process " + process)
	}
	put(to.Attributes(), attributes)
}

func (r *recorder) tracer(name string) ptrace.SpanSlice {
	return member(r.tracers, name, func() ptrace.SpanSlice {
		process, scope, _ := strings.Cut(name, " ")
		spans := member(r.spans, process, func() ptrace.ResourceSpans {
			rs := r.batch.Traces.ResourceSpans().AppendEmpty()
			r.resource(rs.Resource(), process)
			return rs
		}).ScopeSpans().AppendEmpty()
		spans.Scope().SetName(scope)
		return spans.Spans()
	})
}

func (r *recorder) logger(name string) plog.LogRecordSlice {
	return member(r.loggers, name, func() plog.LogRecordSlice {
		process, scope, _ := strings.Cut(name, " ")
		logs := member(r.logs, process, func() plog.ResourceLogs {
			rl := r.batch.Logs.ResourceLogs().AppendEmpty()
			r.resource(rl.Resource(), process)
			return rl
		}).ScopeLogs().AppendEmpty()
		logs.Scope().SetName(scope)
		return logs.LogRecords()
	})
}

func (r *recorder) metrics(process string) pmetric.ScopeMetricsSlice {
	return member(r.scopes, process, func() pmetric.ScopeMetricsSlice {
		rm := r.batch.Metrics.ResourceMetrics().AppendEmpty()
		r.resource(rm.Resource(), process)
		return rm.ScopeMetrics()
	})
}

func (r *recorder) addPair(p scriptPair) {
	for i := 1; i < len(p.Stages); i++ {
		r.batch.Pairs = append(r.batch.Pairs, Pair{From: p.Stages[i-1].ref(), To: p.Stages[i].ref(), Rule: p.Rule})
	}
}

// put sets attributes. A value of a type that pdata does not know is a mistake in a file, hence the panic.
func put(m pcommon.Map, attributes map[string]any) {
	for _, key := range sortedKeys(attributes) {
		if err := m.PutEmpty(key).FromRaw(attributes[key]); err != nil {
			panic(err)
		}
	}
}
