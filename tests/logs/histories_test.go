// SPDX-License-Identifier: Apache-2.0

package logs

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-tc/otelcol-tc/tests/soak"
)

// histories is how many histories a run has, unless TC_HISTORIES says otherwise.
const histories = 3000

// A model of services in many namespaces that use the same ids of requests. Some split requests, some do not; some
// attempts come twice; clocks are off. Whatever comes in whatever order, no line gets a wrong trace, and all lines of
// services that do not split requests get theirs.
func TestRandomHistories(t *testing.T) {
	t.Parallel()
	n := soak.Count(t, "TC_HISTORIES", histories)
	p := startPairHolding(t, 0)
	defer p.stop(t)
	m := model{t: t, p: p}
	for seed := range n {
		m.random = rand.New(rand.NewPCG(uint64(seed), 38))
		m.history(fmt.Sprint("namespace-", seed))
	}
	t.Logf("%d histories: %+v", n, m.counts)
	assert.Zero(t, m.wrong)
	assert.Equal(t, m.whole, m.wholeInTrace, "lines of requests that are not split")
	assert.GreaterOrEqual(t, float64(m.evidentInTrace), 0.95*float64(m.evident), "lines of split requests with evidence")
}

type counts struct{ lines, wrong, whole, wholeInTrace, evident, evidentInTrace, silent int }

type model struct {
	t      *testing.T
	p      *pair
	random *rand.Rand
	counts
}

// part is what one process does for a request.
type part struct {
	trace      pcommon.TraceID
	start, end time.Time
	span, line map[string]any // what both sides state of the process
	role       string
	whole      bool // its service does not split requests
}

// history is the requests of one namespace, in one of four forms: nothing is split; requests are split and their spans
// state it; they are split, and only what both sides state of their processes shows it; or only files and threads do.
func (m *model) history(namespace string) {
	form := m.random.IntN(4)
	site := m.site()
	start := time.Date(2026, 11, 28, 10, 0, 0, 0, time.UTC)
	for request := range 1 + m.random.IntN(4) {
		rid := fmt.Sprint("cmpl-", 1+request) // equal in all namespaces
		at := start.Add(time.Duration(m.random.IntN(5000)) * time.Millisecond)
		var parts []part
		switch form {
		case 0:
			parts = []part{m.part(namespace, at, "a", "", nil)}
			parts[0].whole = true
			if m.random.IntN(3) == 0 { // the process serves an attempt again
				again := m.part(namespace, at.Add(time.Minute), "a", "", nil)
				parts[0].span = map[string]any{"service.instance.id": "a"}
				again.span, again.whole = parts[0].span, true
				parts = append(parts, again)
			}
		case 1:
			kind := m.random.IntN(4)
			parts = []part{m.part(namespace, at, "p", "prefill", stated(kind, "p")), m.part(namespace, at, "d", "decode", stated(kind, "d"))}
		case 3:
			m.playFiles(namespace, rid, site, at)
			continue
		default:
			kind := 1 + m.random.IntN(3)
			parts = []part{m.part(namespace, at, "p", "", stated(kind, "p")), m.part(namespace, at, "d", "", stated(kind, "d"))}
		}
		m.play(namespace, rid, parts)
	}
}

// stated is one of the kinds of statements about a process.
func stated(kind int, name string) map[string]any {
	switch kind {
	case 1:
		return map[string]any{"k8s.pod.uid": name}
	case 2:
		return map[string]any{"service.instance.id": name}
	case 3:
		return map[string]any{"host.name": "h", "process.pid": int64(3000 + int(name[0]))}
	default:
		return nil
	}
}

func (m *model) part(_ string, at time.Time, _, role string, states map[string]any) part {
	p := part{start: at.Add(time.Duration(m.random.IntN(50)) * time.Millisecond), role: role, span: states, line: states}
	p.end = p.start.Add(time.Duration(100+m.random.IntN(3000)) * time.Millisecond)
	for i := range p.trace {
		p.trace[i] = byte(m.random.Uint32())
	}
	return p
}

// play sends the spans and some lines of a request, in a random order.
func (m *model) play(namespace, rid string, parts []part) {
	type line struct {
		part *part
		at   time.Time
		off  bool
	}
	var events []func()
	var lines []line
	for i := range parts {
		p := &parts[i]
		events = append(events, func() { m.span(namespace, rid, p) })
		for range 1 + m.random.IntN(3) {
			l := line{part: p, at: p.start.Add(time.Duration(m.random.Int64N(int64(p.end.Sub(p.start)))))}
			if m.random.IntN(5) == 0 {
				l.off = true
				l.at = l.at.Add(time.Duration(m.random.IntN(2001)-1000) * time.Millisecond)
			}
			l.at = l.at.Truncate([...]time.Duration{time.Millisecond, time.Second}[m.random.IntN(2)])
			lines = append(lines, l)
			events = append(events, func() { m.line(namespace, rid, p, l.at) })
		}
	}
	m.random.Shuffle(len(events), func(i, j int) { events[i], events[j] = events[j], events[i] })
	for _, event := range events {
		event()
	}
	for _, l := range lines {
		got := m.line(namespace, rid, l.part, l.at)
		switch {
		case l.off:
		case l.part.whole:
			m.whole++
			m.wholeInTrace += got
		case len(l.part.line) > 0:
			m.evident++
			m.evidentInTrace += got
		default:
			m.silent++
		}
	}
}

func put(to pcommon.Map, namespace string, all map[string]any) {
	_ = to.FromRaw(all)
	to.PutStr("service.name", "FastDeploy")
	to.PutStr("k8s.namespace.name", namespace)
}

func (m *model) span(namespace, rid string, p *part) {
	td := ptrace.NewTraces()
	rs := td.ResourceSpans().AppendEmpty()
	put(rs.Resource().Attributes(), namespace, p.span)
	span := rs.ScopeSpans().AppendEmpty().Spans().AppendEmpty()
	span.SetName("FastDeploy/Request")
	span.SetKind(ptrace.SpanKindServer)
	span.SetTraceID(p.trace)
	span.SetSpanID(pcommon.SpanID(p.trace[:8]))
	span.SetStartTimestamp(pcommon.NewTimestampFromTime(p.start))
	span.SetEndTimestamp(pcommon.NewTimestampFromTime(p.end))
	span.Attributes().PutStr("rid", rid)
	if p.role != "" {
		span.Attributes().PutStr("tc.role", p.role)
	}
	require.NoError(m.t, m.p.spans.ConsumeTraces(m.t.Context(), td))
}

// line sends a line, and returns 1 if it came out with a trace.
func (m *model) line(namespace, rid string, p *part, at time.Time) int {
	m.lines++
	ld := plog.NewLogs()
	rl := ld.ResourceLogs().AppendEmpty()
	put(rl.Resource().Attributes(), namespace, p.line)
	record := rl.ScopeLogs().AppendEmpty().LogRecords().AppendEmpty()
	record.SetTimestamp(pcommon.NewTimestampFromTime(at))
	record.Body().SetStr("Receive request " + rid + "_0: {}")
	return m.send(ld, rid, p)
}

// send sends the line of a part, and returns 1 if it came out with a trace.
func (m *model) send(ld plog.Logs, rid string, p *part) int {
	require.NoError(m.t, m.p.logs.ConsumeLogs(m.t.Context(), ld))
	all := m.p.sink.AllLogs()
	m.p.sink.Reset()
	got := all[0].ResourceLogs().At(0).ScopeLogs().At(0).LogRecords().At(0).TraceID()
	if got.IsEmpty() {
		return 0
	}
	if got != p.trace {
		m.wrong++
		m.t.Errorf("%s of %q got the trace of another process: %v", rid, p.role, all[0].ResourceLogs().At(0).ScopeLogs().At(0).LogRecords().At(0).Attributes().AsRaw())
	}
	return 1
}

// site is where two instances write that serve the parts of requests.
type site struct {
	folders [2]string
	pids    [2]int64 // of the API servers; those of the engines follow
	labels  [2]string
	states  bool // engines write lines that state their trace
}

func (m *model) site() site {
	s := site{folders: [2]string{"/logs/one", "/logs/two"}, pids: [2]int64{4000, 5000}, labels: [2]string{"API Server", "API Server"}}
	switch m.random.IntN(3) {
	case 0:
		s.folders = [2]string{"/logs", "/logs"}
	case 1:
		s.folders = [2]string{"/logs/log_prefill", "/logs/log_decode"}
		s.labels = [2]string{"Prefill API Server", "Decode API Server"}
	}
	if s.folders[0] != s.folders[1] && m.random.IntN(4) == 0 {
		s.pids[1] = s.pids[0] // in containers
	}
	s.states = m.random.IntN(2) == 0
	return s
}

// evident reports whether something tells the lines of an API server, or else of an engine, from those of the other part.
func (s site) evident(api bool) bool {
	apart, processes := s.folders[0] != s.folders[1], s.pids[0] != s.pids[1]
	return s.labels[0] != s.labels[1] || apart && (processes || s.states) || processes && (api || s.states)
}

// playFiles sends a request whose spans state nothing but threads, and whose lines have a file and a process id. The API
// servers write before any span is sent.
func (m *model) playFiles(namespace, rid string, s site, at time.Time) {
	type line struct {
		part   *part
		at     time.Time
		number int
		engine int64 // 1: of the engine
	}
	var events []func()
	var lines []line
	parts := []part{m.part(namespace, at, "", "", nil), m.part(namespace, at, "", "", nil)}
	if m.random.IntN(3) == 0 { // the first instance serves an attempt again
		parts = append(parts, m.part(namespace, at.Add(time.Minute), "", "", nil))
	}
	for i := range parts {
		p, number := &parts[i], i%2
		m.fileLine(namespace, rid, s, p, number, 0, p.start, false)
		events = append(events, func() {
			m.thread(p, s, number)
			m.span(namespace, rid, p)
		})
		for range 1 + m.random.IntN(4) {
			l := line{p, p.start.Add(time.Duration(m.random.Int64N(int64(p.end.Sub(p.start))))).Truncate(time.Millisecond), number, m.random.Int64N(2)}
			lines = append(lines, l)
			events = append(events, func() { m.fileLine(namespace, rid, s, p, number, l.engine, l.at, false) })
		}
		if s.states {
			events = append(events, func() { m.fileLine(namespace, rid, s, p, number, 1, p.start, true) })
		}
	}
	m.random.Shuffle(len(events), func(i, j int) { events[i], events[j] = events[j], events[i] })
	for _, event := range events {
		event()
	}
	for _, l := range slices.Concat(lines, lines) { // the second time all have been seen
		m.fileLine(namespace, rid, s, l.part, l.number, l.engine, l.at, false)
	}
	for _, l := range lines {
		got := m.fileLine(namespace, rid, s, l.part, l.number, l.engine, l.at, false)
		if s.evident(l.engine == 0) {
			m.evident++
			m.evidentInTrace += got
		} else {
			m.silent++
		}
	}
}

// thread sends the span of a thread.
func (m *model) thread(p *part, s site, number int) {
	td := ptrace.NewTraces()
	span := td.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans().AppendEmpty()
	span.SetName("FastDeploy/Thread")
	span.SetTraceID(p.trace)
	span.SetSpanID(pcommon.SpanID(p.trace[8:]))
	span.SetStartTimestamp(pcommon.NewTimestampFromTime(p.start))
	span.SetEndTimestamp(pcommon.NewTimestampFromTime(p.end))
	span.Attributes().PutInt("tc.thread.pid", s.pids[number])
	span.Attributes().PutStr("tc.thread.label", s.labels[number])
	require.NoError(m.t, m.p.spans.ConsumeTraces(m.t.Context(), td))
}

// fileLine sends a line of a file, and returns 1 if it came out with a trace.
func (m *model) fileLine(namespace, rid string, s site, p *part, number int, engine int64, at time.Time, states bool) int {
	m.lines++
	ld := plog.NewLogs()
	rl := ld.ResourceLogs().AppendEmpty()
	put(rl.Resource().Attributes(), namespace, nil)
	record := rl.ScopeLogs().AppendEmpty().LogRecords().AppendEmpty()
	record.SetTimestamp(pcommon.NewTimestampFromTime(at))
	record.Body().SetStr("Receive request " + rid + "_0: {}")
	program := [...]string{"api_server", "engine"}[engine]
	record.Attributes().PutStr("log.file.path", s.folders[number]+"/"+program+".log")
	record.Attributes().PutStr("code.file.path", program+".py")
	record.Attributes().PutInt("process.pid", s.pids[number]+100*engine)
	if states {
		record.SetTraceID(p.trace)
		record.Attributes().PutStr("rid", rid+"_0")
	}
	return m.send(ld, rid, p)
}
