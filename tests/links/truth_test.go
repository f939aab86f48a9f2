// SPDX-License-Identifier: Apache-2.0

package links

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/plog/plogotlp"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
	"github.com/otelcol-tc/otelcol-tc/tests/items"
	"github.com/otelcol-tc/otelcol-tc/tests/tcgen"
	"github.com/otelcol-tc/otelcol-tc/tests/tcgen/judge"
	"github.com/otelcol-tc/otelcol-tc/tests/tcgen/scenario"
)

const (
	// truthRuns are how many of each system run at one time.
	truthRuns = 3
	// minLinked is the least share of the pairs that can be found that has to be.
	minLinked = 0.99
)

// All that the four systems send in many scenarios, in whatever order it arrives, comes
// out with the links between its broken traces, and with no other.
func TestLinksAreTheTrue(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	c := collectortest.StartReading(t, dir)
	random := rand.New(rand.NewPCG(1, 2))
	s := newScene(t, time.Now())
	sender := newSender(t, c)
	for range tcgen.Scenarios {
		requests, lines := s.round(random)
		// The text logs of one scenario are there before its spans, those of the next after.
		if random.IntN(2) == 0 {
			collectortest.WriteTexts(t, dir, lines)
			lines = nil
		}
		for _, send := range requests {
			send(sender)
		}
		collectortest.WriteTexts(t, dir, lines)
	}
	collectortest.AwaitSpans(t, c, s.sent.SpanCount())
	collectortest.AwaitRecords(t, c, s.events.LogRecordCount()+len(s.lines))
	// Before it is stopped: nothing of this is owed to the end.
	traces := c.Traces(t)
	require.Zero(t, c.Stop(t).Code)
	items.RequireSame(t, items.Of(t, traces), items.Of(t, c.Traces(t)))

	tcgen.CheckSpansKept(t, tcgen.SpanItems(t, s.sent), tcgen.SpanItems(t, tcgen.WithoutDerived(traces)))
	checkLinks(t, traces, s.pairs, minLinked)
	checkOrphans(t, traces)
	s.checkRecords(t, c.LogRecords(t))
}

// scene is all that several runs of each system send, and the truth about it.
type scene struct {
	generators []scenario.Generator
	start      time.Time
	rounds     int

	sent    ptrace.Traces
	records plog.Logs // as they were sent
	events  plog.Logs // without what TuFT's second handler sent
	lines   []scenario.Line
	pairs   []scenario.Pair
	// stripped are the spans in which records were written that were sent without ids.
	stripped map[string]scenario.SpanRef
}

func newScene(t *testing.T, start time.Time) *scene {
	t.Helper()
	s := &scene{start: start, sent: ptrace.NewTraces(), records: plog.NewLogs(), events: plog.NewLogs(), stripped: map[string]scenario.SpanRef{}}
	for run := range truthRuns {
		for _, name := range scenario.Names() {
			g, err := scenario.New(name, uint64(100+run), start)
			require.NoError(t, err)
			s.generators = append(s.generators, g)
		}
	}
	return s
}

// round returns one more scenario of each system: a request of each process for spans
// and one for logs, in random order.
func (s *scene) round(random *rand.Rand) (requests []func(*sender), lines []scenario.Line) {
	s.rounds++
	for run, g := range s.generators {
		batch := g.Next(s.start.Add(time.Duration(s.rounds) * 10 * time.Second))
		s.pairs = append(s.pairs, batch.Pairs...)
		for _, resource := range batch.Traces.ResourceSpans().All() {
			one := ptrace.NewTraces()
			resource.CopyTo(one.ResourceSpans().AppendEmpty())
			requests = append(requests, func(to *sender) { to.spans(one) })
		}
		batch.Traces.ResourceSpans().MoveAndAppendTo(s.sent.ResourceSpans())
		s.strip(batch.Logs)
		requests = append(requests, func(to *sender) { to.records(batch.Logs) })
		batch.Events().ResourceLogs().MoveAndAppendTo(s.events.ResourceLogs())
		for _, resource := range batch.Logs.ResourceLogs().All() {
			resource.CopyTo(s.records.ResourceLogs().AppendEmpty())
		}
		for _, line := range batch.Lines {
			line.File = fmt.Sprintf("%d-%s", run, line.File)
			lines = append(lines, line)
		}
	}
	s.lines = append(s.lines, lines...)
	random.Shuffle(len(requests), func(i, j int) { requests[i], requests[j] = requests[j], requests[i] })
	return requests, lines
}

// strip removes the ids of records that name the future of their span, as if a worker
// had written them without its context.
func (s *scene) strip(logs plog.Logs) {
	for record := range collectortest.Records(logs) {
		body := record.Body().AsString()
		if strings.HasPrefix(body, "Future begin: ") || strings.HasPrefix(body, "Future completed: ") {
			s.stripped[body] = judge.SpanOf(record)
			record.SetTraceID([16]byte{})
			record.SetSpanID([8]byte{})
		}
	}
}

// sender exports over OTLP gRPC.
type sender struct {
	t      *testing.T
	traces ptraceotlp.GRPCClient
	logs   plogotlp.GRPCClient
}

func newSender(t *testing.T, c *collectortest.Collector) *sender {
	t.Helper()
	connection := collectortest.Dial(t, c.GRPC)
	return &sender{t, ptraceotlp.NewGRPCClient(connection), plogotlp.NewGRPCClient(connection)}
}

func (s *sender) spans(traces ptrace.Traces) {
	s.t.Helper()
	response, err := s.traces.Export(s.t.Context(), ptraceotlp.NewExportRequestFromTraces(traces))
	require.NoError(s.t, err)
	require.Zero(s.t, response.PartialSuccess().RejectedSpans())
}

func (s *sender) records(logs plog.Logs) {
	s.t.Helper()
	response, err := s.logs.Export(s.t.Context(), plogotlp.NewExportRequestFromLogs(logs))
	require.NoError(s.t, err)
	require.Zero(s.t, response.PartialSuccess().RejectedLogRecords())
}

// edge joins two spans, earlier to later.
type edge struct{ from, to scenario.SpanRef }

// checkLinks holds the derived links against the pairs that belong together: no other is
// linked, none twice, and at least a share of those that can be found.
func checkLinks(t *testing.T, traces ptrace.Traces, pairs []scenario.Pair, least float64) {
	t.Helper()
	truth, found := map[edge]scenario.Pair{}, map[edge]bool{}
	for _, p := range pairs {
		truth[edge{p.From, p.To}] = p
	}
	forward, byLog := 0, 0
	for _, link := range allDerivedLinks(traces) {
		e := edge{link.Earlier, link.Later}
		_, right := truth[e]
		assert.True(t, right, "spans that do not belong together: %+v", link)
		assert.False(t, found[e], "linked twice: %+v", link)
		found[e] = true
		if link.Forward {
			forward++
		}
		if link.Evidence == "log" {
			byLog++
		}
	}
	findable, linked := map[string]int{}, map[string]int{}
	for _, p := range pairs {
		if !p.Findable() {
			continue
		}
		findable[p.Rule]++
		if found[edge{p.From, p.To}] {
			linked[p.Rule]++
		}
	}
	for rule, n := range findable {
		assert.GreaterOrEqual(t, float64(linked[rule]), least*float64(n), "%s: %d of %d pairs linked", rule, linked[rule], n)
	}
	t.Logf("linked of what can be: %v of %v; %d links forward, %d by logs", linked, findable, forward, byLog)
}

// checkOrphans checks that spans without any key have no link and are no link's target.
func checkOrphans(t *testing.T, traces ptrace.Traces) {
	t.Helper()
	targets := map[scenario.SpanRef]bool{}
	for _, link := range allDerivedLinks(traces) {
		targets[link.Earlier], targets[link.Later] = true, true
	}
	orphans := 0
	for span := range collectortest.SpansOf(traces) {
		if !strings.HasPrefix(strings.ToLower(span.Name()), "redis") {
			continue
		}
		orphans++
		assert.False(t, targets[collectortest.SpanRef(span)], "%s is linked", span.Name())
	}
	assert.NotZero(t, orphans)
}

// byKey is what the lines have that state nothing but a key of their span.
var byKey = []string{"EndReplicaFetch transport=", "create chat completion request: ", "finished: ", "RID: ", "Initialize request ", "Scheduler has put request: "}

// checkStated checks that the record of a line has no ids but those of its span, and marks ids that contradict each
// other. It reports whether the line states its span, and whether the record came out in it.
func checkStated(t *testing.T, line scenario.Line, record plog.LogRecord) (states, kept bool) {
	t.Helper()
	got := judge.SpanOf(record)
	if !got.TraceID.IsEmpty() || line.States == scenario.StatesTrace {
		assert.Equal(t, line.Span.TraceID, got.TraceID, line.Text)
	}
	if !got.SpanID.IsEmpty() {
		assert.Equal(t, line.Span, got, line.Text)
	}
	conflict := line.States == scenario.StatesConflict
	if conflict {
		assert.Equal(t, scenario.SpanRef{}, got, line.Text)
	}
	_, marked := record.Attributes().Get("tc.correlation.conflict")
	assert.Equal(t, conflict, marked, "conflict marked: %s", line.Text)
	assert.NotZero(t, record.SeverityNumber(), line.Text)
	return line.States == scenario.StatesIDs, got == line.Span
}

// checkRecords checks that all records came out, each in its span or in none, and nearly
// all of those that state it or have a key of it.
func (s *scene) checkRecords(t *testing.T, logs plog.Logs) {
	t.Helper()
	require.Equal(t, s.events.LogRecordCount()+len(s.lines), logs.LogRecordCount())
	keyed, resolved, stating, kept := 0, 0, 0, 0
	for _, record := range collectortest.PushedRecords(logs) {
		truth, ok := s.stripped[record.Body().AsString()]
		if !ok {
			continue
		}
		keyed++
		if !record.TraceID().IsEmpty() {
			resolved++
			assert.Equal(t, truth, judge.SpanOf(record), record.Body().AsString())
		}
	}
	require.GreaterOrEqual(t, keyed, len(s.stripped))
	tcgen.CheckKept(t, tcgen.LogItems(t, withoutIDs(s.events)), tcgen.LogItems(t, withoutIDs(ofPushed(logs))))

	files := map[string][]scenario.Line{}
	for _, line := range s.lines {
		files[line.File] = append(files[line.File], line)
	}
	for file, received := range collectortest.FileRecords(logs) {
		require.Len(t, received, len(files[file]), file)
		for _, record := range received {
			line, left := nearestLine(t, files[file], record)
			files[file] = left
			if states, ok := checkStated(t, line, record); states {
				stating++
				if ok {
					kept++
				}
			}
			if slices.ContainsFunc(byKey, func(key string) bool { return strings.Contains(line.Text, key) }) {
				keyed++
				if !record.TraceID().IsEmpty() {
					resolved++
				}
			}
		}
	}
	assert.GreaterOrEqual(t, float64(resolved), minLinked*float64(keyed), "%d of %d records with a key of their span came out in it", resolved, keyed)
	assert.GreaterOrEqual(t, float64(kept), minLinked*float64(stating), "%d of %d records that state their span came out in it", kept, stating)
	t.Logf("came out in their span: %d of %d records that state it, %d of %d with nothing but a key", kept, stating, resolved, keyed)
}

// nearestLine returns the entry that a record was made of, and the others. Records that
// were held come out behind others.
func nearestLine(t *testing.T, lines []scenario.Line, record plog.LogRecord) (scenario.Line, []scenario.Line) {
	t.Helper()
	best, distance := -1, time.Duration(0)
	for i, line := range lines {
		if d := line.Time.Sub(record.Timestamp().AsTime()).Abs(); judge.MadeOf(record.Body().AsString(), line) && (best < 0 || d < distance) {
			best, distance = i, d
		}
	}
	require.GreaterOrEqual(t, best, 0, "nobody wrote %q", record.Body().AsString())
	require.LessOrEqual(t, distance, time.Second, record.Body().AsString())
	return lines[best], slices.Delete(slices.Clone(lines), best, best+1)
}

// ofPushed returns the records that came over OTLP, with what is around them.
func ofPushed(logs plog.Logs) plog.Logs {
	pushed := plog.NewLogs()
	logs.CopyTo(pushed)
	for _, resource := range pushed.ResourceLogs().All() {
		for _, scope := range resource.ScopeLogs().All() {
			scope.LogRecords().RemoveIf(func(record plog.LogRecord) bool { return judge.Text(record.Attributes(), collectortest.FileKey) != "" })
		}
	}
	return pushed
}

// withoutIDs returns a copy of records without ids and flags.
func withoutIDs(logs plog.Logs) plog.Logs {
	bare := plog.NewLogs()
	logs.CopyTo(bare)
	for record := range collectortest.Records(bare) {
		record.SetTraceID([16]byte{})
		record.SetSpanID([8]byte{})
		record.SetFlags(0)
	}
	return bare
}
