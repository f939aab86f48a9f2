package tests

import (
	"crypto/rand"
	"fmt"
	"iter"
	"maps"
	"net/http"
	"os"
	"path/filepath"
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

	"github.com/otelcol-tc/otelcol-tc/cmd/tcgen/scenario"
	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

// linking are the settings, each a YAML map, of a collector that links.
type linking struct {
	index  string // of correlation_index
	spans  string // of span_link
	logs   string // of log_correlation
	naming bool
	more   []string // further configurations
	args   []string
}

// options is builtin:dev with links.
func (l linking) options() collectortest.Options {
	before := "memory_limiter"
	if l.naming {
		before += ", naming"
	}
	config := fmt.Sprintf(`yaml:{
  extensions: {correlation_index: {%s}},
  processors: {span_link: {%s}, log_correlation: {index: correlation_index, %s}},
  service: {extensions: [health_check, wire_limits, correlation_index], pipelines: {
    traces: {processors: [%[4]s, span_link]}, logs: {processors: [%[4]s, log_correlation]}}}}`,
		l.index, l.spans, l.logs, before)
	return collectortest.Options{Configs: slices.Concat([]string{"builtin:dev", config}, l.more), Args: l.args}
}

func (l linking) start(t *testing.T) *collectortest.Collector {
	t.Helper()
	return collectortest.Start(t, l.options())
}

// The rules of these tests: a job is handed from Put to Get, or to Take, which waits for
// Put. Logs know the job that Run does.
const (
	jobRules = `rules: [
  {name: handoff, key: {span_attribute: job.key}, from: {span_name: Producer/Put}, to: {span_name: Consumer/Get}},
  {name: held, key: {span_attribute: job.key}, from: {span_name: Producer/Put}, to: {span_name: Consumer/Take}, hold: %s},
  {name: work, key: {span_attribute: job.key}, from: {span_name: Worker/Run}, logs: [{body: "job {key}"}]}]`
	putName  = "Producer/Put"
	getName  = "Consumer/Get"
	takeName = "Consumer/Take"
	runName  = "Worker/Run"
)

// rulesOfJobs returns the setting rules, where spans called Take wait for so long.
func rulesOfJobs(hold time.Duration) string { return fmt.Sprintf(jobRules, hold) }

// job makes a span with a key, the root of a trace of its own.
func job(name, key string) (ptrace.Traces, scenario.SpanRef) {
	traces := ptrace.NewTraces()
	return traces, addJob(traces, name, key)
}

// jobsOf makes a span for each key.
func jobsOf(name string, keys ...string) ptrace.Traces {
	traces := ptrace.NewTraces()
	for _, key := range keys {
		addJob(traces, name, key)
	}
	return traces
}

func addJob(traces ptrace.Traces, name, key string) scenario.SpanRef {
	resource := traces.ResourceSpans().AppendEmpty()
	resource.Resource().Attributes().PutStr("service.name", "jobs")
	span := resource.ScopeSpans().AppendEmpty().Spans().AppendEmpty()
	ref := newRef()
	span.SetTraceID(ref.TraceID)
	span.SetSpanID(ref.SpanID)
	span.SetName(name)
	span.SetKind(ptrace.SpanKindInternal)
	span.SetStartTimestamp(timestamp())
	span.SetEndTimestamp(span.StartTimestamp() + 1000)
	span.Attributes().PutStr("job.key", key)
	return ref
}

func newRef() (ref scenario.SpanRef) {
	// It never fails.
	_, _ = rand.Read(ref.TraceID[:])
	_, _ = rand.Read(ref.SpanID[:])
	return ref
}

// jobLogs makes records without ids, each with one of the keys.
func jobLogs(keys ...string) plog.Logs {
	logs := plog.NewLogs()
	resource := logs.ResourceLogs().AppendEmpty()
	resource.Resource().Attributes().PutStr("service.name", "jobs")
	scope := resource.ScopeLogs().AppendEmpty()
	scope.Scope().SetName("worker")
	for _, key := range keys {
		record := scope.LogRecords().AppendEmpty()
		record.SetTimestamp(timestamp())
		record.SetObservedTimestamp(record.Timestamp())
		record.SetSeverityNumber(plog.SeverityNumberInfo)
		record.Body().SetStr("job " + key + " is done")
		record.Attributes().PutStr("thread.name", "worker-1")
	}
	return logs
}

// numbered returns so many keys.
func numbered(prefix string, n int) []string {
	var keys []string
	for i := range n {
		keys = append(keys, fmt.Sprintf("%s-%d", prefix, i))
	}
	return keys
}

// postTraces sends spans and returns how long the answer took.
func postTraces(t *testing.T, c *collectortest.Collector, traces ptrace.Traces) time.Duration {
	t.Helper()
	body, err := ptraceotlp.NewExportRequestFromTraces(traces).MarshalProto()
	require.NoError(t, err)
	begin := time.Now()
	require.Equal(t, http.StatusOK, post(t, c, "/v1/traces", body, ""))
	return time.Since(begin)
}

func postLogs(t *testing.T, c *collectortest.Collector, logs plog.Logs) {
	t.Helper()
	body, err := plogotlp.NewExportRequestFromLogs(logs).MarshalProto()
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, post(t, c, "/v1/logs", body, ""))
}

// postJob sends one span with a key.
func postJob(t *testing.T, c *collectortest.Collector, name, key string) scenario.SpanRef {
	t.Helper()
	traces, ref := job(name, key)
	postTraces(t, c, traces)
	return ref
}

// spansOf iterates over all spans.
func spansOf(traces ptrace.Traces) iter.Seq[ptrace.Span] {
	return func(yield func(ptrace.Span) bool) {
		for _, resource := range traces.ResourceSpans().All() {
			for _, scope := range resource.ScopeSpans().All() {
				for _, span := range scope.Spans().All() {
					if !yield(span) {
						return
					}
				}
			}
		}
	}
}

func spanRef(span ptrace.Span) scenario.SpanRef {
	return scenario.SpanRef{TraceID: span.TraceID(), SpanID: span.SpanID()}
}

// awaitSpans waits until so many spans came out.
func awaitSpans(t *testing.T, c *collectortest.Collector, want int) ptrace.Traces {
	t.Helper()
	var traces ptrace.Traces
	grown := growing(filepath.Join(c.DataDir, "traces.json"))
	collectortest.Eventually(t, arrivalTimeout, func() (bool, string) {
		if grown() {
			traces = c.Traces(t)
		}
		return traces.SpanCount() >= want, fmt.Sprintf("%d of %d spans written", traces.SpanCount(), want)
	})
	return traces
}

// awaitRecords waits until so many log records came out.
func awaitRecords(t *testing.T, c *collectortest.Collector, want int) plog.Logs {
	t.Helper()
	var logs plog.Logs
	grown := growing(filepath.Join(c.DataDir, "logs.json"))
	collectortest.Eventually(t, arrivalTimeout, func() (bool, string) {
		if grown() {
			logs = c.LogRecords(t)
		}
		return logs.LogRecordCount() >= want, fmt.Sprintf("%d of %d records written", logs.LogRecordCount(), want)
	})
	return logs
}

// growing returns a function that tells whether a file has grown since it was last
// asked, and that says so at first: files of this size are not to be read all the time.
func growing(path string) func() bool {
	size := int64(-1)
	return func() bool {
		now := int64(0)
		if info, err := os.Stat(path); err == nil {
			now = info.Size()
		}
		grown := now > size
		size = now
		return grown
	}
}

// awaitSpan waits until a span came out.
func awaitSpan(t *testing.T, c *collectortest.Collector, ref scenario.SpanRef) ptrace.Span {
	t.Helper()
	var found ptrace.Span
	collectortest.Eventually(t, arrivalTimeout, func() (bool, string) {
		for span := range spansOf(c.Traces(t)) {
			if spanRef(span) == ref {
				found = span
				return true, ""
			}
		}
		return false, fmt.Sprintf("span %v not written", ref)
	})
	return found
}

// The attributes of derived links.
const (
	linkRuleKey      = "tc.link.rule"
	linkEvidenceKey  = "tc.link.evidence"
	linkDirectionKey = "tc.link.direction"
	linkRefTypeKey   = "opentracing.ref_type"
)

// derivedLink is a link that the collector added.
type derivedLink struct {
	earlier, later scenario.SpanRef
	rule           string
	evidence       string
	forward        bool // it is the earlier span that carries the link
}

// derivedLinks returns the links that the collector added to a span.
func derivedLinks(span ptrace.Span) []derivedLink {
	var all []derivedLink
	for _, link := range span.Links().All() {
		rule := linkText(link, linkRuleKey)
		if rule == "" {
			continue
		}
		d := derivedLink{
			earlier:  scenario.SpanRef{TraceID: link.TraceID(), SpanID: link.SpanID()},
			later:    spanRef(span),
			rule:     rule,
			evidence: linkText(link, linkEvidenceKey),
			forward:  linkText(link, linkDirectionKey) == "forward",
		}
		if d.forward {
			d.earlier, d.later = d.later, d.earlier
		}
		all = append(all, d)
	}
	return all
}

func linkText(link ptrace.SpanLink, key string) string {
	value, ok := link.Attributes().Get(key)
	if !ok {
		return ""
	}
	return value.AsString()
}

// allDerivedLinks returns those of all spans.
func allDerivedLinks(traces ptrace.Traces) []derivedLink {
	var all []derivedLink
	for span := range spansOf(traces) {
		all = append(all, derivedLinks(span)...)
	}
	return all
}

// awaitLink waits until a span came out and checks that it has one derived link.
func awaitLink(t *testing.T, c *collectortest.Collector, carrier scenario.SpanRef, want derivedLink) {
	t.Helper()
	assert.Equal(t, []derivedLink{want}, derivedLinks(awaitSpan(t, c, carrier)))
}

// backward is what the later of two jobs carries.
func backward(rule string, earlier, later scenario.SpanRef) derivedLink {
	return derivedLink{earlier: earlier, later: later, rule: rule, evidence: "span"}
}

// withoutDerived returns a copy of spans as they were before the collector linked them.
func withoutDerived(traces ptrace.Traces) ptrace.Traces {
	plain := ptrace.NewTraces()
	traces.CopyTo(plain)
	for span := range spansOf(plain) {
		span.Links().RemoveIf(func(link ptrace.SpanLink) bool { return linkText(link, linkRuleKey) != "" })
	}
	return plain
}

// spanLines and recordLines write every span or record on a line of its own, with all
// that it has, sorted.
func spanLines(t *testing.T, traces ptrace.Traces) []string {
	t.Helper()
	return itemLines(spanItems(t, traces))
}

func recordLines(t *testing.T, logs plog.Logs) []string {
	t.Helper()
	return itemLines(logItems(t, logs))
}

func itemLines(items []item) []string {
	var all []string
	for _, i := range items {
		all = append(all, fmt.Sprint(i)) // maps are printed in order of their keys
	}
	slices.Sort(all)
	return all
}

// requireSame compares lines, of which there may be very many.
func requireSame(t *testing.T, want, got []string, what string) {
	t.Helper()
	if slices.Equal(want, got) {
		return
	}
	lost, added := countLines(want), countLines(got)
	for line, n := range lost {
		both := min(n, added[line])
		lost[line], added[line] = n-both, added[line]-both
	}
	maps.DeleteFunc(lost, func(_ string, n int) bool { return n == 0 })
	maps.DeleteFunc(added, func(_ string, n int) bool { return n == 0 })
	require.Fail(t, what+" changed", "%d sent and %d received; %d only sent, such as %.500q; %d only received, such as %.500q",
		len(want), len(got), len(lost), slices.Sorted(maps.Keys(lost)), len(added), slices.Sorted(maps.Keys(added)))
}

func countLines(lines []string) map[string]int {
	counts := map[string]int{}
	for _, line := range lines {
		counts[line]++
	}
	return counts
}

// selfCount returns the sum of one of the collector's own counters.
func selfCount(t *testing.T, c *collectortest.Collector, name string, labels map[string]string) float64 {
	t.Helper()
	for family, metrics := range c.SelfMetrics(t) {
		// Units in braces and _total are part of the page's names.
		if rest, ok := strings.CutPrefix(family, "otelcol_"+name); ok && (rest == "" || strings.HasPrefix(rest, "_")) {
			return collectortest.Sum(metrics, labels)
		}
	}
	return 0
}

// outputOf reads the files below another directory than the collector's own.
func outputOf(dir string) *collectortest.Collector { return &collectortest.Collector{DataDir: dir} }

// stored returns the files that file_storage has below a directory, by content.
func stored(t *testing.T, dir string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*correlation_index*"))
	require.NoError(t, err)
	return files
}
