// SPDX-License-Identifier: Apache-2.0

package logs

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.yaml.in/yaml/v3"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
	"github.com/otelcol-tc/otelcol-tc/tests/soak"
	"github.com/otelcol-tc/otelcol-tc/tests/tcgen/judge"
)

// runtime is what a runtime writes and sends about a request, as a file of testdata describes it.
type runtime struct {
	ID    string `yaml:"id"`
	Time  string `yaml:"time"`
	UTC   bool   `yaml:"utc"`
	Mixed bool   `yaml:"mixed"` // its requests are never split
	Span  struct {
		Scope      string            `yaml:"scope"`
		Name       string            `yaml:"name"`
		Attributes map[string]string `yaml:"attributes"`
		Split      map[string]string `yaml:"split"` // attributes where requests are split
		Resource   map[string]string `yaml:"resource"`
	} `yaml:"span"`
	Lines  []string `yaml:"lines"`
	Others []string `yaml:"others"` // lines without a key
}

// With nothing configured but the files, lines of runtimes that name a request come out in the trace of its span, and
// no line in another one. Prompts and answers in them do not come out. TC_TIMINGS is the number of requests of each
// runtime, which come at random times.
func TestLinesOfRuntimes(t *testing.T) {
	t.Parallel()
	for _, split := range []bool{false, true} {
		name := map[bool]string{false: "mixed", true: "prefill and decode apart"}[split]
		t.Run(name+", dev", func(t *testing.T) {
			t.Parallel()
			s := newStory(t, split)
			c := collectortest.Start(t, collectortest.Options{Env: map[string]string{"OTELCOL_TC_LOG_FILES": s.globs()}})
			s.tell(t, c, c)
		})
		t.Run(name+", agent and gateway", func(t *testing.T) {
			t.Parallel()
			s := newStory(t, split)
			gateway, output := collectortest.FileGateway(t, map[string]string{})
			s.tell(t, startAgent(t, gateway, s.globs()), output)
		})
	}
}

// story is what all runtimes write and send.
type story struct {
	dir    string
	spans  []ptrace.Traces
	lines  map[string][]string        // by file
	traces map[string]pcommon.TraceID // by file and id of request
	random *rand.Rand
	split  bool
	total  int
}

func newStory(t *testing.T, split bool) *story {
	t.Helper()
	s := &story{
		dir: t.TempDir(), lines: map[string][]string{}, traces: map[string]pcommon.TraceID{},
		random: rand.New(rand.NewPCG(38, 2)), split: split,
	}
	files, err := filepath.Glob("testdata/runtimes/*.yaml")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	start := time.Now().Add(-time.Minute)
	for _, file := range files {
		var r runtime
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		require.NoError(t, yaml.Unmarshal(text, &r))
		name := strings.TrimSuffix(filepath.Base(file), ".yaml")
		if split && r.Mixed {
			continue
		}
		at := start
		for i := range soak.Count(t, "TC_TIMINGS", 24) {
			at = at.Add(s.upTo(600 * time.Millisecond))
			id := strings.ReplaceAll(r.ID, "{hex}", fmt.Sprintf("%016x%016x", s.random.Uint64(), s.random.Uint64()))
			if !split {
				s.add(&r, name, "", id, at, i)
				continue
			}
			s.add(&r, name, "prefill", id, at, i)
			s.add(&r, name, "decode", id, at.Add(s.upTo(600*time.Millisecond)), i)
		}
	}
	return s
}

// add adds what one process, or the half of a split request, writes and sends.
func (s *story) add(r *runtime, name, role, id string, at time.Time, request int) {
	var trace pcommon.TraceID
	copy(trace[:], fmt.Sprintf("%016x", s.random.Uint64()))
	file := strings.Trim(name+"_"+role, "_") + ".log"
	s.traces[file+" "+id] = trace
	pid := 4100 + 100*len(role)
	expand := func(text string, at time.Time) string {
		if r.UTC || strings.HasSuffix(r.Time, "Z") {
			at = at.UTC()
		}
		return strings.NewReplacer(
			"{id}", id, "{short}", id[:min(8, len(id))], "{random}", fmt.Sprintf("%08x", s.random.Uint32()), "{role}", role,
			"{room}", "0x"+strconv.FormatInt(int64(request+1000), 16), "{pid}", strconv.Itoa(pid), "{engine}", strconv.Itoa(pid+71),
			"{time}", at.Format(r.Time), "{date}", strings.Replace(at.Format("2006-01-02 15:04:05.000"), ".", ",", 1),
		).Replace(text)
	}
	end := at
	for _, line := range r.Lines {
		end = end.Add(s.upTo(80 * time.Millisecond))
		s.lines[file] = append(s.lines[file], expand(line, end))
	}
	for _, line := range r.Others {
		s.lines[file] = append(s.lines[file], expand(line, at))
	}
	s.total += len(r.Lines) + len(r.Others)

	td := ptrace.NewTraces()
	rs := td.ResourceSpans().AppendEmpty()
	rs.Resource().Attributes().PutStr("service.name", "my-service")
	putAll(rs.Resource().Attributes(), r.Span.Resource, func(text string) string { return expand(text, at) })
	ss := rs.ScopeSpans().AppendEmpty()
	ss.Scope().SetName(r.Span.Scope)
	span := ss.Spans().AppendEmpty()
	span.SetName(expand(r.Span.Name, at))
	span.SetTraceID(trace)
	span.SetSpanID(pcommon.SpanID(trace[:8]))
	span.SetKind(ptrace.SpanKindServer)
	span.SetStartTimestamp(pcommon.NewTimestampFromTime(at))
	span.SetEndTimestamp(pcommon.NewTimestampFromTime(end.Add(s.upTo(80 * time.Millisecond))))
	attributes := maps.Clone(r.Span.Attributes)
	if s.split {
		maps.Copy(attributes, r.Span.Split)
	}
	putAll(span.Attributes(), attributes, func(text string) string { return expand(text, at) })
	s.spans = append(s.spans, td)
}

// upTo returns a random duration below most.
func (s *story) upTo(most time.Duration) time.Duration {
	return time.Duration(s.random.Int64N(int64(most)))
}

func putAll(to pcommon.Map, attributes map[string]string, expand func(string) string) {
	for key, value := range attributes {
		to.PutStr(key, expand(value))
	}
}

// globs returns the files of all runtimes.
func (s *story) globs() string { return fmt.Sprintf("[%q]", filepath.Join(s.dir, "*.log")) }

// tell writes the lines and sends the spans in a random order, and checks what comes out.
func (s *story) tell(t *testing.T, in, out *collectortest.Collector) {
	t.Helper()
	const parts = 4
	s.random.Shuffle(len(s.spans), func(i, j int) { s.spans[i], s.spans[j] = s.spans[j], s.spans[i] })
	for part := range parts {
		for _, file := range slices.Sorted(maps.Keys(s.lines)) {
			lines := s.lines[file]
			collectortest.AppendLines(t, filepath.Join(s.dir, file), lines[len(lines)*part/parts:len(lines)*(part+1)/parts]...)
		}
		td := ptrace.NewTraces()
		for _, one := range s.spans[len(s.spans)*part/parts : len(s.spans)*(part+1)/parts] {
			one.ResourceSpans().MoveAndAppendTo(td.ResourceSpans())
		}
		collectortest.PostTraces(t, in, td)
	}
	awaitFileRecords(t, out, s.total)
	s.check(t, out.LogRecords(t))
}

func (s *story) check(t *testing.T, logs plog.Logs) {
	t.Helper()
	inTrace, due := map[string]int{}, map[string]int{}
	for record := range collectortest.Records(logs) {
		file := judge.Text(record.Attributes(), collectortest.FileKey)
		text := record.Body().AsString() + fmt.Sprint(record.Attributes().AsRaw())
		assert.NotContains(t, text, "SECRET", file)
		var want pcommon.TraceID
		for key, trace := range s.traces {
			if of, id, _ := strings.Cut(key, " "); of == file && strings.Contains(text, id) {
				want = trace
			}
		}
		if !want.IsEmpty() {
			due[file]++
		}
		if !record.TraceID().IsEmpty() {
			assert.Equal(t, want, record.TraceID(), "%s: %s", file, record.Body().AsString())
			inTrace[file]++
		}
	}
	least := 0.99
	if s.split {
		least = 0.95
	}
	for file, n := range due {
		t.Logf("%s: %d of %d", file, inTrace[file], n)
		assert.GreaterOrEqual(t, float64(inTrace[file]), least*float64(n), "%s: %d of %d", file, inTrace[file], n)
	}
	assert.Len(t, due, len(s.lines))
}
