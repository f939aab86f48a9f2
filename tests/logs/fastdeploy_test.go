// SPDX-License-Identifier: Apache-2.0

package logs

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/processor/processortest"

	"github.com/otelcol-tc/otelcol-tc/conventions/logformat"
	"github.com/otelcol-tc/otelcol-tc/processor/namingprocessor"
	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
	"github.com/otelcol-tc/otelcol-tc/tests/soak"
	"github.com/otelcol-tc/otelcol-tc/tests/tcgen/judge"
)

// What FastDeploy's processes write and send: an API server, an engine and a worker, in one instance or with prefill and
// decode apart. With nothing configured but the files, the lines that name a request come out in its trace.
func TestLinesOfFastDeploy(t *testing.T) {
	t.Parallel()
	n := soak.Count(t, "TC_TIMINGS", 12)
	f := func(name string, split bool, least float64, start func(t *testing.T, globs string) (in, gateway, out *collectortest.Collector)) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			in, gateway, out := start(t, fmt.Sprintf("[%q]", filepath.Join(dir, "*", "*.log")))
			f := newFastDeploy(t, 1, split)
			for i := range n {
				f.request(fmt.Sprintf("cmpl-%08x-0000-4000-8000-%012d", f.random.Uint32(), i), time.Now().Add(time.Second+time.Duration(i)*150*time.Millisecond))
			}
			f.play(func(td ptrace.Traces) { collectortest.PostTraces(t, in, td) }, func(l fastDeployLine) {
				require.NoError(t, os.MkdirAll(filepath.Join(dir, l.folder), 0o700))
				collectortest.AppendLines(t, filepath.Join(dir, l.folder, l.file), l.text())
			})
			awaitFileRecords(t, out, len(f.lines))
			require.Zero(t, gateway.Stop(t).Code)
			f.check(out.LogRecords(t), least)
		})
	}
	dev := func(t *testing.T, globs string) (in, gateway, out *collectortest.Collector) {
		c := collectortest.Start(t, collectortest.Options{Env: map[string]string{"OTELCOL_TC_LOG_FILES": globs}})
		return c, c, c
	}
	agent := func(t *testing.T, globs string) (in, gateway, out *collectortest.Collector) {
		gateway, out = collectortest.FileGateway(t, map[string]string{})
		return startAgent(t, gateway, globs), gateway, out
	}
	f("mixed, dev", false, 0.99, dev)
	f("apart, dev", true, 0.95, dev)
	f("mixed, agent and gateway", false, 0.99, agent)
	f("apart, agent and gateway", true, 0.95, agent)
}

// The first split request of an index is the hardest: nothing has shown that requests are split. No span does.
func TestFirstRequestsOfFastDeploy(t *testing.T) {
	t.Parallel()
	f := func(name string, split bool, least float64) {
		t.Run(name, func(t *testing.T) {
			var total fastDeployCounts
			for seed := range soak.Count(t, "TC_TIMINGS", 50) {
				synctest.Test(t, func(t *testing.T) { total.add(firstRequests(t, uint64(seed), split)) })
			}
			t.Logf("%+v", total)
			assert.Zero(t, total.wrong)
			assert.GreaterOrEqual(t, float64(total.inTrace), least*float64(total.due))
		})
	}
	f("mixed", false, 0.99)
	f("apart", true, 0.95)
}

func firstRequests(t *testing.T, seed uint64, split bool) fastDeployCounts {
	p := startPair(t)
	naming := namingprocessor.NewFactory()
	named, err := naming.CreateTraces(t.Context(), processortest.NewNopSettings(naming.Type()), naming.CreateDefaultConfig(), p.spans)
	require.NoError(t, err)
	require.NoError(t, named.Start(t.Context(), p))
	formats, err := logformat.New(loadPacks(t))
	require.NoError(t, err)
	f := newFastDeploy(t, seed, split)
	for i := range 3 {
		f.request(fmt.Sprintf("cmpl-%08x-%d", f.random.Uint32(), i), time.Now().Add(time.Duration(1+f.random.IntN(1000))*time.Millisecond))
	}
	f.play(func(td ptrace.Traces) { assert.NoError(t, named.ConsumeTraces(t.Context(), td)) }, func(l fastDeployLine) {
		assert.NoError(t, p.logs.ConsumeLogs(t.Context(), l.record(t, formats)))
	})
	time.Sleep(2 * hold)
	p.stop(t)
	assert.NoError(t, named.Shutdown(t.Context()))
	all := plog.NewLogs()
	for _, ld := range p.sink.AllLogs() {
		ld.ResourceLogs().MoveAndAppendTo(all.ResourceLogs())
	}
	return f.count(all)
}

// flush is how often the spans of all processes are sent.
const flush = 100 * time.Millisecond

// fastDeployEvent is what one process did at a time of a request: it wrote a line or ended a span. The file was recorded
// from FastDeploy's trace module and formatters, with the request's, the processes' and the threads' ids replaced.
type fastDeployEvent struct {
	Case, Process, File, Line string
	MS                        float64
	Span                      *struct {
		Name, ID, Parent, Scope string
		Kind                    int
		Start, End              float64
		Attributes              map[string]string
	}
}

// fastDeploy plays requests, each with times of its own.
type fastDeploy struct {
	t      *testing.T
	random *rand.Rand
	split  bool
	lag    time.Duration // how late a file may be read
	cases  map[string][]json.RawMessage
	lines  []fastDeployLine
	spans  []fastDeploySpan
	traces map[string]pcommon.TraceID // by folder and request
}

type fastDeployLine struct {
	at           time.Time
	folder, file string
	line         string
}

type fastDeploySpan struct {
	at time.Time
	td ptrace.Traces
}

type fastDeployCounts struct{ due, inTrace, wrong int }

func (c *fastDeployCounts) add(other fastDeployCounts) {
	c.due, c.inTrace, c.wrong = c.due+other.due, c.inTrace+other.inTrace, c.wrong+other.wrong
}

func newFastDeploy(t *testing.T, seed uint64, split bool) *fastDeploy {
	t.Helper()
	recorded, err := os.ReadFile(filepath.Join("testdata", "fastdeploy.jsonl"))
	require.NoError(t, err)
	f := &fastDeploy{
		lag: time.Second / 5, t: t, random: rand.New(rand.NewPCG(seed, 38)), split: split,
		cases: map[string][]json.RawMessage{}, traces: map[string]pcommon.TraceID{},
	}
	for line := range bytes.Lines(recorded) {
		var event fastDeployEvent
		require.NoError(t, json.Unmarshal(line, &event))
		f.cases[event.Case] = append(f.cases[event.Case], line)
	}
	return f
}

// request adds a request. Its parts are in instances with folders of their own, and no name says which is which.
func (f *fastDeploy) request(rid string, start time.Time) {
	if !f.split {
		f.part([]string{"mixed", "mixed_own_root"}[f.random.IntN(2)], rid, "fd", 4000, start)
		return
	}
	form := []string{"", "_states", "_own_root"}[f.random.IntN(3)]
	f.part("prefill"+form, rid, "one", 5000, start.Add(f.upTo(300*time.Millisecond)))
	f.part("decode"+form, rid, "two", 6000, start.Add(f.upTo(300*time.Millisecond)))
}

func (f *fastDeploy) upTo(most time.Duration) time.Duration {
	return time.Duration(f.random.Int64N(int64(most)))
}

// part adds what the processes of an instance do for a request. They take up to 4 s, and export within one more.
func (f *fastDeploy) part(name, rid, folder string, pid int, start time.Time) {
	stretch := 0.05 + 3.5*f.random.Float64()*f.random.Float64()
	var trace pcommon.TraceID
	binary.BigEndian.PutUint64(trace[8:], f.random.Uint64())
	f.traces[folder+rid] = trace
	replace := strings.NewReplacer("{rid}", rid, "{trace}", trace.String(), "{host}", "3d1219c7c4c5404aaa1f6d2a48adfda4",
		"{api}", strconv.Itoa(pid), "{engine}", strconv.Itoa(pid+100), "{worker}", strconv.Itoa(pid+200),
		"{thread1}", strconv.Itoa(pid+101), "{thread2}", strconv.Itoa(pid+102))
	export := map[string]time.Duration{"api": f.upTo(time.Second), "engine": f.upTo(time.Second)}
	after := func(ms float64) time.Time { return start.Add(time.Duration(ms * stretch * float64(time.Millisecond))) }
	for _, raw := range f.cases[name] {
		var event fastDeployEvent
		require.NoError(f.t, json.Unmarshal([]byte(replace.Replace(string(raw))), &event))
		if event.Span == nil {
			f.lines = append(f.lines, fastDeployLine{after(event.MS), folder, event.File, event.Line})
			continue
		}
		td := ptrace.NewTraces()
		rs := td.ResourceSpans().AppendEmpty()
		rs.Resource().Attributes().PutStr("service.name", "FastDeploy")
		ss := rs.ScopeSpans().AppendEmpty()
		ss.Scope().SetName(event.Span.Scope)
		span := ss.Spans().AppendEmpty()
		span.SetName(event.Span.Name)
		span.SetKind(ptrace.SpanKind(event.Span.Kind + 1))
		span.SetTraceID(trace)
		span.SetSpanID(f.spanID(event.Span.ID))
		span.SetParentSpanID(f.spanID(event.Span.Parent))
		span.SetStartTimestamp(pcommon.NewTimestampFromTime(after(event.Span.Start)))
		span.SetEndTimestamp(pcommon.NewTimestampFromTime(after(event.Span.End)))
		for key, value := range event.Span.Attributes {
			span.Attributes().PutStr(key, value)
		}
		f.spans = append(f.spans, fastDeploySpan{after(event.MS).Add(export[event.Process]), td})
	}
}

func (f *fastDeploy) spanID(text string) (id pcommon.SpanID) {
	_, err := hex.Decode(id[:], []byte(text))
	require.NoError(f.t, err)
	return id
}

// play sends spans and writes lines when their time has come.
func (f *fastDeploy) play(send func(ptrace.Traces), write func(fastDeployLine)) {
	var all []delivery
	lags := map[string]time.Duration{} // by file
	for _, line := range f.lines {
		file := line.folder + "/" + line.file
		if _, ok := lags[file]; !ok {
			lags[file] = f.upTo(f.lag)
		}
		all = append(all, delivery{line.at.Add(lags[file]), func() { write(line) }})
	}
	batches := map[time.Time]ptrace.Traces{}
	for _, span := range f.spans {
		at := span.at.Truncate(flush).Add(flush)
		if _, ok := batches[at]; !ok {
			batches[at] = ptrace.NewTraces()
			all = append(all, delivery{at, func() { send(batches[at]) }})
		}
		span.td.ResourceSpans().MoveAndAppendTo(batches[at].ResourceSpans())
	}
	slices.SortStableFunc(all, func(a, b delivery) int { return a.at.Compare(b.at) })
	for _, d := range all {
		time.Sleep(time.Until(d.at))
		d.do()
	}
}

func (f *fastDeploy) check(logs plog.Logs, least float64) {
	f.t.Helper()
	counts := f.count(logs)
	f.t.Logf("%+v", counts)
	assert.NotZero(f.t, counts.due)
	assert.Zero(f.t, counts.wrong)
	assert.GreaterOrEqual(f.t, float64(counts.inTrace), least*float64(counts.due))
}

// count counts the lines that name a request.
func (f *fastDeploy) count(logs plog.Logs) (counts fastDeployCounts) {
	for record := range collectortest.Records(logs) {
		path := judge.Text(record.Attributes(), "log.file.path")
		folder := filepath.Base(filepath.Dir(path))
		text := record.Body().AsString() + " " + judge.Text(record.Attributes(), "rid")
		at := strings.Index(text, "cmpl-")
		if at < 0 || path == "" {
			continue
		}
		end := strings.IndexAny(text[at:]+" ", " _:'\"],")
		want, ok := f.traces[folder+text[at:at+end]]
		require.True(f.t, ok, "%s in %s", text, folder)
		counts.due++
		switch record.TraceID() {
		case want:
			counts.inTrace++
		case pcommon.TraceID{}:
		default:
			counts.wrong++
			f.t.Errorf("%s in %s got the trace of another instance", text, folder)
		}
	}
	return counts
}

// text returns the line with its time.
func (l fastDeployLine) text() string {
	return strings.NewReplacer("{time}", strings.Replace(l.at.Local().Format("2006-01-02 15:04:05.000"), ".", ",", 1),
		"{ms}", strconv.FormatInt(l.at.UnixMilli(), 10)).Replace(l.line)
}

// record returns the record that runtime_log makes of the line.
func (l fastDeployLine) record(t *testing.T, formats *logformat.Formats) plog.Logs {
	t.Helper()
	ld := plog.NewLogs()
	record := ld.ResourceLogs().AppendEmpty().ScopeLogs().AppendEmpty().LogRecords().AppendEmpty()
	var parsed logformat.Entry
	require.NotNil(t, formats.Match(l.text(), nil, &parsed), l.text())
	record.SetTimestamp(pcommon.NewTimestampFromTime(l.at.Truncate(time.Millisecond)))
	record.Body().SetStr(parsed.Body)
	for _, field := range parsed.IDs {
		record.Attributes().PutStr(field.Key, field.Value)
	}
	for _, attribute := range parsed.Attributes {
		attribute.Put(record.Attributes())
	}
	record.Attributes().PutStr("log.file.path", "/logs/"+l.folder+"/"+l.file)
	return ld
}
