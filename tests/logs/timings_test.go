// SPDX-License-Identifier: Apache-2.0

package logs

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/extension/extensiontest"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/processor"
	"go.opentelemetry.io/collector/processor/processortest"

	"github.com/otelcol-tc/otelcol-tc/cmd/tcgen/scenario"
	"github.com/otelcol-tc/otelcol-tc/conventions"
	"github.com/otelcol-tc/otelcol-tc/conventions/logformat"
	"github.com/otelcol-tc/otelcol-tc/extension/correlationindexextension"
	"github.com/otelcol-tc/otelcol-tc/processor/logcorrelationprocessor"
	"github.com/otelcol-tc/otelcol-tc/processor/spanlinkprocessor"
)

const (
	hold       = 6 * time.Second
	attempts   = 6 // scenarios of a timing; the decode instance restarts after five
	minInTrace = 0.95
)

// FastDeploy's prefill and decode processes share the ids of requests. At whatever time spans and
// lines come, no line gets the trace of the other process, and nearly all get their own.
func TestSplitRequestsAtAnyTiming(t *testing.T) {
	t.Parallel()
	f := func(name string, timings int, known func(entry) map[string]any, provable func(entry) bool) {
		t.Run(name, func(t *testing.T) {
			var total outcomes
			for seed := range timings {
				synctest.Test(t, func(t *testing.T) { total.add(runTiming(t, uint64(seed), known)) })
			}
			t.Logf("%+v", total)
			assert.Zero(t, total.wrong)
			assert.NotZero(t, total.late)
			inTrace, due := 0, 0
			for e, n := range total.inTrace {
				if provable(entry{process: e}) {
					inTrace, due = inTrace+n, due+total.due[e]
				}
			}
			assert.GreaterOrEqual(t, float64(inTrace), minInTrace*float64(due), "%d of %d", inTrace, due)
			t.Logf("%d of %d lines that can be told apart came out in their trace", inTrace, due)
		})
	}
	all := func(entry) bool { return true }
	f("lines of files by instance", 200, func(e entry) map[string]any {
		return map[string]any{"service.name": "FastDeploy", "service.instance.id": e.instance}
	}, all)
	f("records with the resource of the spans", 200, func(e entry) map[string]any {
		return map[string]any{"service.name": "FastDeploy", "host.name": e.instance, "process.pid": e.pid, "service.instance.id": e.instance}
	}, all)
	// The spans with the requests' ids are of the API server.
	f("lines of files by host", 50, func(e entry) map[string]any {
		return map[string]any{"service.name": "FastDeploy", "host.name": e.instance}
	}, func(e entry) bool { return e.process == apiServer })
	f("lines of any file", 50, func(entry) map[string]any {
		return map[string]any{"service.name": "FastDeploy"}
	}, func(entry) bool { return false })
}

// The processes of an instance, by the last digit of their ids.
const apiServer = 0

// entry is a line of a process.
type entry struct {
	scenario.Line
	instance string
	pid      int64
	process  int
}

// outcomes count the lines that name a request.
type outcomes struct {
	wrong        int
	late         int // their span came too late, or never
	due, inTrace map[int]int
}

func (o *outcomes) add(other outcomes) {
	if o.due == nil {
		o.due, o.inTrace = map[int]int{}, map[int]int{}
	}
	o.wrong, o.late = o.wrong+other.wrong, o.late+other.late
	for process := range other.due {
		o.due[process] += other.due[process]
		o.inTrace[process] += other.inTrace[process]
	}
}

// lineKey is an attribute by which the test knows a record again.
const lineKey = "test.line"

// runTiming sends the spans and lines of some split requests, each batch at a random time.
func runTiming(t *testing.T, seed uint64, known func(entry) map[string]any) outcomes {
	random := rand.New(rand.NewPCG(seed, 1))
	p := startPair(t)
	generator, err := scenario.New("fastdeploy", seed, time.Now().Add(-time.Minute))
	require.NoError(t, err)
	formats, err := logformat.New(loadPacks(t))
	require.NoError(t, err)

	var schedule []delivery
	deliver := func(at time.Time, do func()) {
		schedule = append(schedule, delivery{at, do})
		if random.IntN(4) == 0 { // the sender has not heard that it was accepted
			schedule = append(schedule, delivery{at.Add(time.Duration(random.Int64N(int64(hold)))), do})
		}
	}
	start := time.Now().Add(time.Minute)
	var lines []entry
	came := map[int]time.Time{} // lines
	arrived := map[pcommon.TraceID]time.Time{}
	for i := range attempts {
		batch := generator.Next(start.Add(time.Duration(i) * time.Second))
		for _, batch := range []scenario.Batch{batch, again(batch, random)} {
			// How long exporters, queues and files take differs from run to run.
			slowest := time.Duration(random.Int64N(int64(2 * hold)))
			end := start.Add(time.Duration(i) * time.Second)
			for _, rs := range batch.Traces.ResourceSpans().All() {
				at := end.Add(time.Duration(random.Int64N(int64(slowest) + 1)))
				for _, ss := range rs.ScopeSpans().All() {
					for _, span := range ss.Spans().All() {
						if _, ok := span.Attributes().Get("rid"); ok {
							arrived[span.TraceID()] = at
						}
					}
				}
				deliver(at, func() {
					td := ptrace.NewTraces()
					rs.CopyTo(td.ResourceSpans().AppendEmpty())
					assert.NoError(t, p.spans.ConsumeTraces(t.Context(), td))
				})
			}
			var own []entry
			for _, line := range batch.Lines {
				if e, ok := newEntry(t, line); ok {
					own = append(own, e)
				}
			}
			for len(own) > 0 {
				n := 1 + random.IntN(len(own))
				at := latest(own[0].Time, own[n-1].Time).Add(time.Duration(random.Int64N(int64(slowest)/4 + 1)))
				ld := plog.NewLogs()
				for _, e := range own[:n] {
					e.record(t, ld, formats, known, len(lines))
					came[len(lines)] = at
					lines = append(lines, e)
				}
				own = own[n:]
				deliver(at, func() {
					sent := plog.NewLogs()
					ld.CopyTo(sent)
					assert.NoError(t, p.logs.ConsumeLogs(t.Context(), sent))
				})
			}
		}
	}
	random.Shuffle(len(schedule), func(i, j int) { schedule[i], schedule[j] = schedule[j], schedule[i] })
	slices.SortStableFunc(schedule, func(a, b delivery) int { return a.at.Compare(b.at) })
	for _, d := range schedule {
		time.Sleep(time.Until(d.at))
		d.do()
	}
	time.Sleep(2 * hold)
	p.stop(t)

	result := outcomes{due: map[int]int{}, inTrace: map[int]int{}}
	seen := map[int]bool{}
	for _, ld := range p.sink.AllLogs() {
		for _, rl := range ld.ResourceLogs().All() {
			for _, record := range rl.ScopeLogs().At(0).LogRecords().All() {
				number, _ := record.Attributes().Get(lineKey)
				n := int(number.Int())
				e := lines[n]
				if !record.TraceID().IsEmpty() && record.TraceID() != e.Span.TraceID {
					result.wrong++
					t.Errorf("seed %d: %s of %s got %s, is of %s", seed, e.Text, e.instance, record.TraceID(), e.Span.TraceID)
				}
				if seen[n] || e.Span == (scenario.SpanRef{}) {
					continue
				}
				seen[n] = true
				if e.States == scenario.StatesNothing && arrived[e.Span.TraceID].After(came[n].Add(hold-hold/16)) {
					result.late++
					continue
				}
				result.due[e.process]++
				if !record.TraceID().IsEmpty() {
					result.inTrace[e.process]++
				}
			}
		}
	}
	require.Len(t, seen, len(lines)-withoutSpan(lines), "lines that came out")
	return result
}

// delivery is a batch and when it comes.
type delivery struct {
	at time.Time
	do func()
}

func latest(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

func withoutSpan(lines []entry) (n int) {
	for _, e := range lines {
		if e.Span == (scenario.SpanRef{}) {
			n++
		}
	}
	return n
}

// newEntry returns a line of the prefill or the decode instance that names a request.
func newEntry(t *testing.T, line scenario.Line) (entry, bool) {
	t.Helper()
	instance, ok := strings.CutPrefix(strings.TrimSuffix(strings.TrimSuffix(line.File, ".log"), "_trace"), "fastdeploy_")
	if !ok || strings.HasPrefix(instance, "mixed") || !strings.Contains(line.Text, "cmpl-") {
		return entry{}, false
	}
	e := entry{Line: line, instance: instance}
	_, err := fmt.Sscanf(line.Text[strings.IndexByte(line.Text, ',')+5:], "%d", &e.pid)
	require.NoError(t, err, line.Text)
	e.process = int(e.pid % 10)
	return e, true
}

// record adds the record that the runtime_log receiver makes of the line.
func (e entry) record(t *testing.T, ld plog.Logs, formats *logformat.Formats, known func(entry) map[string]any, number int) {
	t.Helper()
	rl := ld.ResourceLogs().AppendEmpty()
	require.NoError(t, rl.Resource().Attributes().FromRaw(known(e)))
	record := rl.ScopeLogs().AppendEmpty().LogRecords().AppendEmpty()
	var parsed logformat.Entry
	require.NotNil(t, formats.Match(e.Text, nil, &parsed), e.Text)
	record.SetTimestamp(pcommon.NewTimestampFromTime(e.Time.Truncate(time.Millisecond)))
	record.Body().SetStr(parsed.Body)
	for _, field := range parsed.IDs {
		record.Attributes().PutStr(field.Key, field.Value)
	}
	for _, attribute := range parsed.Attributes {
		attribute.Put(record.Attributes())
	}
	record.Attributes().PutInt(lineKey, int64(number))
}

// again returns a batch as another attempt sends it, with the same requests in new traces. It is
// served by the same processes later, or at the same time on other hosts by processes with the same
// ids.
func again(batch scenario.Batch, random *rand.Rand) scenario.Batch {
	shift, host := 2100*time.Millisecond, "-0"
	if random.IntN(2) == 0 {
		shift, host = 0, "-1"
	}
	other := scenario.Batch{Traces: ptrace.NewTraces()}
	batch.Traces.CopyTo(other.Traces)
	traces := map[string]string{}
	for _, rs := range other.Traces.ResourceSpans().All() {
		for _, key := range []string{"host.name", "service.instance.id"} {
			value, _ := rs.Resource().Attributes().Get(key)
			value.SetStr(strings.TrimSuffix(value.Str(), "-0") + host)
		}
		for _, ss := range rs.ScopeSpans().All() {
			for _, span := range ss.Spans().All() {
				traces[span.TraceID().String()] = anotherTrace(span.TraceID()).String()
				span.SetTraceID(anotherTrace(span.TraceID()))
				span.SetStartTimestamp(span.StartTimestamp() + pcommon.Timestamp(shift))
				span.SetEndTimestamp(span.EndTimestamp() + pcommon.Timestamp(shift))
			}
		}
	}
	for _, line := range batch.Lines {
		line.Time = line.Time.Add(shift)
		line.File = strings.Replace(line.File, "-0", host, 1)
		for from, to := range traces {
			line.Text = strings.ReplaceAll(line.Text, from, to)
		}
		if line.Span != (scenario.SpanRef{}) {
			line.Span.TraceID = anotherTrace(line.Span.TraceID)
		}
		other.Lines = append(other.Lines, line)
	}
	return other
}

func anotherTrace(id pcommon.TraceID) pcommon.TraceID {
	id[15] ^= 0xff
	return id
}

// pair is what traces and logs pass, with their common index.
type pair struct {
	spans processor.Traces
	logs  processor.Logs
	sink  consumertest.LogsSink
	index component.Component
}

var indexID = component.MustNewID("correlation_index")

// GetExtensions implements component.Host.
func (p *pair) GetExtensions() map[component.ID]component.Component {
	return map[component.ID]component.Component{indexID: p.index}
}

func startPair(t *testing.T) *pair { return startPairHolding(t, hold) }

func startPairHolding(t *testing.T, hold time.Duration) *pair {
	t.Helper()
	p := &pair{}
	extension := correlationindexextension.NewFactory()
	index, err := extension.Create(t.Context(), extensiontest.NewNopSettings(extension.Type()), extension.CreateDefaultConfig())
	require.NoError(t, err)
	p.index = index
	require.NoError(t, p.index.Start(t.Context(), componenttest.NewNopHost()))
	link := spanlinkprocessor.NewFactory()
	linking := link.CreateDefaultConfig().(*spanlinkprocessor.Config)
	linking.Index = &indexID
	p.spans, err = link.CreateTraces(t.Context(), processortest.NewNopSettings(link.Type()), linking, consumertest.NewNop())
	require.NoError(t, err)
	require.NoError(t, p.spans.Start(t.Context(), p))
	correlate := logcorrelationprocessor.NewFactory()
	correlating := correlate.CreateDefaultConfig().(*logcorrelationprocessor.Config)
	correlating.Index, correlating.Hold = &indexID, hold
	p.logs, err = correlate.CreateLogs(t.Context(), processortest.NewNopSettings(correlate.Type()), correlating, &p.sink)
	require.NoError(t, err)
	require.NoError(t, p.logs.Start(t.Context(), p))
	return p
}

func (p *pair) stop(t *testing.T) {
	t.Helper()
	assert.NoError(t, p.logs.Shutdown(context.Background()))
	assert.NoError(t, p.spans.Shutdown(context.Background()))
	assert.NoError(t, p.index.Shutdown(context.Background()))
}

func loadPacks(t *testing.T) []*conventions.Pack {
	t.Helper()
	packs, err := conventions.Load(nil)
	require.NoError(t, err)
	return packs
}
