// SPDX-License-Identifier: Apache-2.0

package logcorrelationprocessor

import (
	"encoding/hex"
	"errors"
	"fmt"
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
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.yaml.in/yaml/v3"

	"github.com/otelcol-tc/otelcol-tc/extension/correlationindexextension"
	"github.com/otelcol-tc/otelcol-tc/tests/pipetest"
)

// scenario is one of testdata/*.scenarios.yaml: what happens to a processor with an index, in turn. The clock is fake.
// Ids are written as 1-11-01: of trace 1 and span 11, with the flags 01. Other numbers are written in full, and 0 is
// no id.
type scenario struct {
	Name        string
	Config      map[string]any // the processor's
	Index       map[string]any // the extension's
	Conventions map[string]any // of the conventions extension, if there is one
	Steps       []struct {
		Log   *scenarioLog  // a batch of one record
		Batch []scenarioLog // each with a resource of its own
		Span  *struct {     // what span_link would put into the index
			Rule, Key   string
			Trace, Span int
			Spans       int // in all, with the numbers that follow
			Resource    map[string]any
		}
		Trace *struct { // what span_link would put into an index with trace_ids
			ID   string
			Span int
		}
		Split    string // requests are split by a rule
		Index    string // away, or back
		Next     string // the next component refuses, or accepts
		Shutdown bool
		Wait     time.Duration
		Out      []string // the records that came out since the last time: their ids, and their names
		Sorted   []string // the same, in no order
		Counts   map[string]int64
	}
}

// scenarioLog is a record. Its name is an attribute, by which Out knows it.
type scenarioLog struct {
	Name, IDs, Body string
	Structure       map[string]any // in place of the body
	Attributes      map[string]any
	Resource        map[string]any
	Scope           string
	At              time.Duration // after the spans' start
}

// TestScenarios plays all scenarios.
func TestScenarios(t *testing.T) {
	files, err := filepath.Glob("testdata/*.scenarios.yaml")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		content, err := os.Open(file)
		require.NoError(t, err)
		decoder := yaml.NewDecoder(content)
		decoder.KnownFields(true)
		var all []scenario
		require.NoError(t, decoder.Decode(&all), file)
		require.NoError(t, content.Close())
		for _, s := range all {
			t.Run(strings.TrimSuffix(filepath.Base(file), ".scenarios.yaml")+"/"+s.Name, func(t *testing.T) {
				synctest.Test(t, s.play)
			})
		}
	}
}

func (s *scenario) play(t *testing.T) {
	cfg := defaultConfig()
	require.NoError(t, confmap.NewFromStringMap(s.Config).Unmarshal(cfg))
	var further map[component.ID]component.Component
	if s.Conventions != nil {
		text, err := yaml.Marshal(s.Conventions)
		require.NoError(t, err)
		host, err := pipetest.NewHost(t.Context(), text)
		require.NoError(t, err)
		further = host.GetExtensions()
	}
	r := newRig(t, cfg, func(c *correlationindexextension.Config) {
		require.NoError(t, confmap.NewFromStringMap(s.Index).Unmarshal(c))
	}, further)
	came, refuses := 0, false
	send := func(logs ...scenarioLog) {
		err := r.p.ConsumeLogs(t.Context(), logsOf(t, logs))
		assert.Equal(t, refuses, err != nil, err)
	}
	for i, step := range s.Steps {
		switch {
		case step.Log != nil:
			send(*step.Log)
		case step.Batch != nil:
			send(step.Batch...)
		case step.Span != nil:
			for n := range max(step.Span.Spans, 1) {
				r.span(step.Span.Rule, step.Span.Key, step.Span.Trace, step.Span.Span+n, step.Span.Resource)
			}
		case step.Trace != nil:
			r.trace(readTrace(t, step.Trace.ID), step.Trace.Span)
		case step.Split != "":
			r.split(step.Split)
		case step.Index != "":
			r.index.goAway(step.Index == "away")
		case step.Next != "":
			refuses = step.Next == "refuses"
			r.answers(func(plog.Logs) error {
				if refuses {
					return errors.New("busy")
				}
				return nil
			})
		case step.Shutdown:
			require.NoError(t, r.p.Shutdown(t.Context()))
		case step.Wait != 0:
			time.Sleep(step.Wait)
		case step.Out != nil, step.Sorted != nil:
			out := []string{}
			for _, record := range r.records()[came:] {
				out = append(out, recordText(record))
			}
			came += len(out)
			if step.Sorted != nil {
				slices.Sort(out)
				assert.Equal(t, step.Sorted, out, "step %d", i+1)
			} else {
				assert.Equal(t, step.Out, out, "step %d", i+1)
			}
		default:
			assert.Equal(t, step.Counts, r.counted(), "step %d", i+1)
		}
		synctest.Wait()
	}
}

func logsOf(t *testing.T, logs []scenarioLog) plog.Logs {
	t.Helper()
	ld := plog.NewLogs()
	for _, l := range logs {
		rl := ld.ResourceLogs().AppendEmpty()
		require.NoError(t, rl.Resource().Attributes().FromRaw(l.Resource))
		sl := rl.ScopeLogs().AppendEmpty()
		sl.Scope().SetName(l.Scope)
		record := sl.LogRecords().AppendEmpty()
		require.NoError(t, record.Attributes().FromRaw(l.Attributes))
		if l.Name != "" {
			record.Attributes().PutStr("name", l.Name)
		}
		if record.Body().SetStr(l.Body); l.Structure != nil {
			require.NoError(t, record.Body().FromRaw(l.Structure))
		}
		if l.At != 0 {
			record.SetTimestamp(spanStart + pcommon.Timestamp(l.At))
		}
		if l.IDs != "" {
			parts := strings.Split(l.IDs, "-")
			require.Len(t, parts, 3, l.IDs)
			flags, err := strconv.ParseUint(parts[2], 16, 32)
			require.NoError(t, err)
			record.SetTraceID(readTrace(t, parts[0]))
			record.SetSpanID(readSpan(t, parts[1]))
			record.SetFlags(plog.LogRecordFlags(flags))
		}
	}
	return ld
}

// recordText returns the ids of a record, and its name if it has one.
func recordText(record plog.LogRecord) string {
	text := fmt.Sprintf("%s-%s-%02x", traceText(record.TraceID()), spanText(record.SpanID()), uint32(record.Flags()))
	if name, ok := record.Attributes().Get("name"); ok {
		text += " " + name.Str()
	}
	return text
}

func traceText(id pcommon.TraceID) string {
	if n := int(id[15]); id == traceOf(n) {
		return strconv.Itoa(n)
	} else if id.IsEmpty() {
		return "0"
	}
	return id.String()
}

func spanText(id pcommon.SpanID) string {
	if n := int(id[7]); id == spanOfNumber(n) {
		return strconv.Itoa(n)
	}
	return id.String()
}

func readTrace(t *testing.T, text string) (id pcommon.TraceID) {
	t.Helper()
	if n, err := strconv.Atoi(text); err == nil && len(text) < 32 {
		if n == 0 {
			return id
		}
		return traceOf(n)
	}
	_, err := hex.Decode(id[:], []byte(text))
	require.NoError(t, err, text)
	return id
}

func readSpan(t *testing.T, text string) (id pcommon.SpanID) {
	t.Helper()
	if n, err := strconv.Atoi(text); err == nil && len(text) < 16 {
		return spanOfNumber(n)
	}
	_, err := hex.Decode(id[:], []byte(text))
	require.NoError(t, err, text)
	return id
}

func TestGolden(t *testing.T) {
	pipetest.Run(t, NewFactory(), "testdata")
}
