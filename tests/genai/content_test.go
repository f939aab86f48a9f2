// SPDX-License-Identifier: Apache-2.0

package genai

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

// everything starts a collector with builtin:dev, changed by configs, whose debug exporter writes whole items, too.
func everything(t *testing.T, configs ...string) *collectortest.Collector {
	t.Helper()
	return collectortest.Start(t, collectortest.Options{Configs: append([]string{
		"builtin:dev", "yaml:exporters::debug::verbosity: detailed", "yaml:connectors::conformance: {interval: 1s, window: 1s}",
	}, configs...)})
}

// outputs stops a collector and returns all that has left it: files, pages and its log.
func outputs(t *testing.T, c *collectortest.Collector) map[string]string {
	t.Helper()
	collectortest.Eventually(t, collectortest.ArrivalTimeout, func() (bool, string) {
		spans := int64(0)
		for _, service := range collectortest.ConformanceReport(t, c).Services {
			// A slow client's trace may have been judged before its last spans came.
			spans += service.Spans + service.Late + service.Unjudged
		}
		return spans >= int64(c.Traces(t).SpanCount()), fmt.Sprintf("the page has %d spans", spans)
	})
	all := c.Outputs(t)
	require.Zero(t, c.Stop(t).Code)
	maps.Copy(all, c.Outputs(t))
	require.NotEmpty(t, all["traces.json"]+all["logs.json"])
	return all
}

// checkNothingLeft fails the test if a marker is in an output, and says which.
func checkNothingLeft(t *testing.T, all map[string]string, markers *regexp.Regexp, what func(marker string) string) {
	t.Helper()
	left := map[string]map[string]bool{}
	for name, text := range all {
		for _, marker := range markers.FindAllString(text, -1) {
			key := what(marker)
			if left[key] == nil {
				left[key] = map[string]bool{}
			}
			left[key][name] = true
		}
	}
	for _, key := range slices.Sorted(maps.Keys(left)) {
		t.Errorf("%s leaves in %s", key, strings.Join(slices.Sorted(maps.Keys(left[key])), ", "))
	}
}

// checkTexts stops a collector, and fails the test if a text of a client of the API has left it.
func checkTexts(t *testing.T, c *collectortest.Collector) {
	t.Helper()
	checkNothingLeft(t, outputs(t, c), regexp.MustCompile(`.{0,100}`+secret), func(around string) string { return around })
}

// planted is one attribute of testdata/content_keys.txt or testdata/harmless.txt.
type planted struct {
	scope, key, where, value string
	with                     map[string]string
}

// readPlanted reads a file of attributes.
func readPlanted(t *testing.T, path string) (all []planted) {
	t.Helper()
	file, err := os.Open(path)
	require.NoError(t, err)
	defer file.Close()
	with := map[string]string{}
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		line := lines.Text()
		switch word, rest, _ := strings.Cut(line, " "); {
		case line == "":
		case word == "#":
			with = map[string]string{}
		case word == "with":
			key, value, _ := strings.Cut(rest, "=")
			with[key] = value
		default:
			fields := append(strings.SplitN(line, " · ", 4), "")
			require.GreaterOrEqual(t, len(fields), 4, line)
			all = append(all, planted{fields[0], fields[1], fields[2], fields[3], with})
		}
	}
	require.NoError(t, lines.Err())
	return all
}

// batch is telemetry that is made from planted attributes.
type batch struct {
	traces ptrace.Traces
	logs   plog.Logs
	items  int
}

// add adds an item of its own with an attribute.
func (b *batch) add(p planted, value string) {
	b.items++
	resource := func(r pcommon.Resource) {
		if r.Attributes().PutStr("service.name", "assistant"); p.where == "resource" {
			r.Attributes().PutStr(p.key, value)
		}
	}
	with := func(attributes pcommon.Map) {
		for key, value := range p.with {
			attributes.PutStr(key, value)
		}
	}
	if p.where == "log" || p.where == "body" {
		rl := b.logs.ResourceLogs().AppendEmpty()
		resource(rl.Resource())
		sl := rl.ScopeLogs().AppendEmpty()
		sl.Scope().SetName(p.scope)
		record := sl.LogRecords().AppendEmpty()
		record.SetTimestamp(pcommon.NewTimestampFromTime(time.Now()))
		record.SetTraceID([16]byte{1, byte(b.items >> 8), byte(b.items)})
		record.SetSpanID(spanID(b.items))
		if with(record.Attributes()); p.where == "log" {
			record.Attributes().PutStr(p.key, value)
			return
		}
		body := record.Body().SetEmptyMap()
		keys := strings.Split(p.key, ".")
		for _, key := range keys[:len(keys)-1] {
			body = body.PutEmptyMap(key)
		}
		body.PutStr(keys[len(keys)-1], value)
		return
	}
	rs := b.traces.ResourceSpans().AppendEmpty()
	resource(rs.Resource())
	ss := rs.ScopeSpans().AppendEmpty()
	ss.Scope().SetName(p.scope)
	span := ss.Spans().AppendEmpty()
	span.SetName("step")
	span.SetTraceID([16]byte{1, byte(b.items >> 8), byte(b.items)})
	span.SetSpanID(spanID(b.items))
	span.SetStartTimestamp(pcommon.NewTimestampFromTime(time.Now()))
	span.SetEndTimestamp(span.StartTimestamp())
	with(span.Attributes())
	switch p.where {
	case "resource":
		return
	case "span":
		span.Attributes().PutStr(p.key, value)
		return
	case "list":
		list := span.Attributes().PutEmptySlice(p.key)
		for text := range strings.SplitSeq(value, ", ") {
			list.AppendEmpty().SetStr(text)
		}
		return
	}
	event := span.Events().AppendEmpty()
	event.SetName(p.where)
	event.Attributes().PutStr(p.key, value)
}

// spanID returns the id of an item by its number.
func spanID(number int) pcommon.SpanID { return [8]byte{1, byte(number >> 8), byte(number)} }

// forms are the forms of texts in attributes. The marker is in the place of %s.
var forms = []string{
	`Where does my grandmother keep her %s passport?`,
	`[{"role":"user","content":"Where does my grandmother keep her %s passport?"}]`,
	`{'kwargs': {'question': "Where's my grandmother's %s passport?", 'n': 1}}`,
}

// TestContentKeys sends each key of real instrumentations with texts. None of them leaves.
func TestContentKeys(t *testing.T) {
	t.Parallel()
	b := batch{traces: ptrace.NewTraces(), logs: plog.NewLogs()}
	sent := map[string]string{}
	all := readPlanted(t, "testdata/content_keys.txt")
	for i, p := range all {
		for j, form := range forms {
			marker := fmt.Sprintf("%s-%03d-%d", secret, i, j)
			sent[marker] = fmt.Sprintf("%s · %s · %s: %s", p.scope, p.key, p.where, form)
			b.add(p, fmt.Sprintf(form, marker))
		}
	}
	require.Greater(t, len(all), 103)
	c := everything(t)
	collectortest.PostTraces(t, c, b.traces)
	collectortest.PostLogs(t, c, b.logs)
	collectortest.AwaitSpans(t, c, b.traces.SpanCount())
	collectortest.AwaitRecords(t, c, b.logs.LogRecordCount())
	checkNothingLeft(t, outputs(t, c), regexp.MustCompile(secret+`-\d{3}-\d`), func(marker string) string { return sent[marker] })
}

// TestHarmlessAttributes sends attributes of model calls and of 60 other libraries that have no text of anybody and
// no credential. Each leaves as it came.
func TestHarmlessAttributes(t *testing.T) {
	t.Parallel()
	for _, file := range []string{"testdata/harmless.txt", "testdata/ordinary.txt"} {
		b := batch{traces: ptrace.NewTraces(), logs: plog.NewLogs()}
		all := readPlanted(t, file)
		for _, p := range all {
			b.add(p, p.value)
		}
		c := everything(t)
		collectortest.PostTraces(t, c, b.traces)
		collectortest.PostLogs(t, c, b.logs)
		collectortest.AwaitSpans(t, c, b.traces.SpanCount())
		require.Zero(t, c.Stop(t).Code)
		got := map[string][]pcommon.Map{}
		for resource, span := range collectortest.SpansByResource(c.Traces(t)) {
			attributes := []pcommon.Map{resource.Attributes(), span.Attributes()}
			for _, event := range span.Events().All() {
				attributes = append(attributes, event.Attributes())
			}
			got[span.SpanID().String()] = attributes
		}
		for record := range collectortest.Records(c.LogRecords(t)) {
			got[record.SpanID().String()] = []pcommon.Map{record.Attributes()}
		}
		for i, p := range all {
			value := ""
			for _, attributes := range got[spanID(i+1).String()] {
				if v, ok := attributes.Get(p.key); ok {
					value = v.AsString()
				}
			}
			if p.where == "list" {
				text, _ := json.Marshal(strings.Split(p.value, ", "))
				p.value = string(text)
			}
			assert.Equal(t, p.value, value, "%s · %s", p.scope, p.key)
		}
	}
}

// agentEvent is a line of testdata/coding_agents.jsonl.
type agentEvent struct {
	Service, Scope, Body string
	Attributes           map[string]any
}

// readAgentEvents reads the events that coding agents document. Each text gets a marker of its own, and sent says
// where it was.
func readAgentEvents(t *testing.T) (all []agentEvent, sent map[string]string) {
	t.Helper()
	sent = map[string]string{}
	text, err := os.ReadFile("testdata/coding_agents.jsonl")
	require.NoError(t, err)
	for line := range bytes.Lines(text) {
		var e agentEvent
		require.NoError(t, json.Unmarshal(line, &e))
		for key, value := range e.Attributes {
			switch value := value.(type) {
			case float64:
				if value == math.Trunc(value) {
					e.Attributes[key] = int64(value)
				}
			case string:
				marker := fmt.Sprintf("%s-%03d", secret, len(sent))
				if strings.Contains(value, secret) {
					e.Attributes[key] = strings.ReplaceAll(value, secret, marker)
					sent[marker] = fmt.Sprintf("%s %v: %s", e.Service, e.Attributes["event.name"], key)
				}
			}
		}
		all = append(all, e)
	}
	return all, sent
}

// identifier is the shape of texts that leave under any key.
var identifier = regexp.MustCompile(`^[^\s"'` + "`" + `{}()\[\]]{0,64}$`)

// TestCodingAgents sends the events of Claude Code, Codex and Gemini CLI. No text of anybody leaves, and counts, names
// and ids do as they came.
func TestCodingAgents(t *testing.T) {
	t.Parallel()
	events, sent := readAgentEvents(t)
	logs, start := plog.NewLogs(), time.Now()
	for i, e := range events {
		rl := logs.ResourceLogs().AppendEmpty()
		rl.Resource().Attributes().PutStr("service.name", e.Service)
		sl := rl.ScopeLogs().AppendEmpty()
		sl.Scope().SetName(e.Scope)
		record := sl.LogRecords().AppendEmpty()
		record.SetTimestamp(pcommon.NewTimestampFromTime(start.Add(time.Duration(i) * time.Millisecond)))
		record.Body().SetStr(e.Body)
		require.NoError(t, record.Attributes().FromRaw(e.Attributes))
	}
	c := everything(t)
	collectortest.PostLogs(t, c, logs)
	collectortest.AwaitRecords(t, c, len(events))
	checkNothingLeft(t, outputs(t, c), regexp.MustCompile(secret+`-\d{3}`), func(marker string) string { return sent[marker] })
	for record := range collectortest.Records(c.LogRecords(t)) {
		e := events[record.Timestamp().AsTime().Sub(start)/time.Millisecond]
		if identifier.MatchString(e.Body) {
			assert.Equal(t, e.Body, record.Body().Str())
		}
		got := record.Attributes().AsRaw()
		for key, value := range e.Attributes {
			if text, ok := value.(string); !ok || !strings.Contains(text, secret) && identifier.MatchString(text) {
				assert.Equal(t, value, got[key], "%s: %s", e.Attributes["event.name"], key)
			}
		}
	}
}
