// SPDX-License-Identifier: Apache-2.0

package conformanceconnector

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-tc/otelcol-tc/connector/conformanceconnector/internal/report"
	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
	"github.com/otelcol-tc/otelcol-tc/internal/policy"
	"github.com/otelcol-tc/otelcol-tc/tests/testfiles"
)

// history is one of testdata/histories.yaml: what comes in turn, and what reports say then. The clock is fake.
type history struct {
	Name        string
	Packs       []string       // their texts, in place of the built-in ones
	Conventions map[string]any // of the conventions extension
	Steps       []struct {
		Times   int // how often all of this happens, once if it is 0
		Spans   []sentSpan
		Metrics []sentMetrics
		Logs    []sentLogs
		Scrape  *sentScrape
		Wait    time.Duration    // until traces that have waited for long enough are judged
		Rules   map[string]int64 // the totals of findings
		Report  map[string]any   // what the report has, among other things
	}
}

// sentSpan is a span of a new trace, or of one that was named before.
type sentSpan struct {
	Service, Name, Kind, Parent, Trace string
	Time                               [2]int64           // as tree.span takes it
	Start, End                         *pcommon.Timestamp // in its place
	Original                           string             // the name before naming
	Links                              []string           // the rules of its links
}

// sentMetrics are gauges of a service and scope, each with one point.
type sentMetrics struct {
	Service, Instance, Scope string
	Names                    []string
	Originals                map[string]string // names before naming
	Attributes               map[string]any
}

// sentLogs are equal records.
type sentLogs struct {
	Service, Scope, Body string
	Records              int
	Trace, Span          bool // whether they have these ids
	Severity             plog.SeverityNumber
	Attributes           map[string]any
}

// sentScrape is what the Prometheus receiver makes of a scrape. It is gone with a stale marker.
type sentScrape struct {
	Job, Instance string
	Up            float64
	Gone          bool
}

func TestHistories(t *testing.T) {
	for _, s := range testfiles.Cases[history](t, "testdata/histories.yaml") {
		t.Run(s.Name, func(t *testing.T) { synctest.Test(t, s.play) })
	}
}

func (s *history) play(t *testing.T) {
	state, from := newTestState(t, nil), newSender()
	if s.Packs != nil {
		state = newPolicyState(t, func(c *policy.Config) { require.NoError(t, confmap.NewFromStringMap(s.Conventions).Unmarshal(c)) }, s.Packs...)
	}
	for i, step := range s.Steps {
		for range max(step.Times, 1) {
			time.Sleep(time.Millisecond) // nothing comes at the very time of the last report
			state.judgeTraces(t.Context(), from.traces(step.Spans))
			state.judgeMetrics(t.Context(), metricsOf(t, step.Metrics))
			state.judgeLogs(t.Context(), from.logs(t, step.Logs))
			if step.Scrape != nil {
				state.judgeMetrics(t.Context(), step.Scrape.metrics())
			}
			time.Sleep(step.Wait)
			state.sweep(time.Now())
			if step.Rules == nil && step.Report == nil {
				continue
			}
			r := state.now()
			for rule, total := range step.Rules {
				assert.Equal(t, total, totalOf(r, rule), "step %d: %s", i+1, rule)
			}
			assert.Empty(t, differences("report", step.Report, readable(t, r)), "step %d", i+1)
		}
	}
}

// readable returns a report as JSON, with services and scores by their names.
func readable(t *testing.T, r any) map[string]any {
	t.Helper()
	text, err := json.Marshal(r)
	require.NoError(t, err)
	var all map[string]any
	require.NoError(t, json.Unmarshal(text, &all))
	keyed := func(of map[string]any, list, key string) {
		by := map[string]any{}
		for _, one := range of[list].([]any) {
			by[one.(map[string]any)[key].(string)] = one
		}
		of[list] = by
	}
	keyed(all, "services", "name")
	for _, service := range all["services"].(map[string]any) {
		keyed(service.(map[string]any), "scores", "signal")
	}
	return all
}

// differences returns where got differs from want. Maps may have more keys.
func differences(path string, want, got any) (all []string) {
	switch want := want.(type) {
	case map[string]any:
		has, _ := got.(map[string]any)
		for _, key := range slices.Sorted(maps.Keys(want)) {
			all = append(all, differences(path+"."+key, want[key], has[key])...)
		}
	case []any:
		has, _ := got.([]any)
		if len(has) != len(want) {
			return []string{fmt.Sprintf("%s has %d elements, not %d: %v", path, len(has), len(want), got)}
		}
		for i := range want {
			all = append(all, differences(fmt.Sprintf("%s[%d]", path, i), want[i], has[i])...)
		}
	default:
		if zero := want == 0 || want == false || want == ""; fmt.Sprint(want) != fmt.Sprint(got) && (!zero || got != nil) {
			return []string{fmt.Sprintf("%s is %v, not %v", path, got, want)}
		}
	}
	return all
}

var spanKinds = map[string]ptrace.SpanKind{
	"": internal, "client": client, "server": server, "producer": ptrace.SpanKindProducer, "consumer": ptrace.SpanKindConsumer,
}

// sender makes telemetry with ids. Spans refer to others by their names, also to those that come later.
type sender struct {
	tree     *tree
	ids      map[string]pcommon.SpanID // the last of each name
	awaited  map[string]bool           // names that have an id before their span
	traceIDs map[string]pcommon.TraceID
}

func newSender() *sender {
	return &sender{newTree(newRand(1)), map[string]pcommon.SpanID{}, map[string]bool{}, map[string]pcommon.TraceID{}}
}

func (s *sender) traces(spans []sentSpan) ptrace.Traces {
	s.tree.td, s.tree.trace = ptrace.NewTraces(), newTraceID(s.tree.rng)
	for _, sent := range spans {
		if known, ok := s.traceIDs[sent.Trace]; ok {
			s.tree.trace = known
		} else if sent.Trace != "" {
			s.traceIDs[sent.Trace] = s.tree.trace
		}
		span := s.tree.span(sent.Service, sent.Name, spanKinds[sent.Kind], none, sent.Time[0], sent.Time[1])
		if s.awaited[sent.Name] {
			span.SetSpanID(s.ids[sent.Name])
		}
		s.ids[sent.Name], s.awaited[sent.Name] = span.SpanID(), false
		if _, ok := s.ids[sent.Parent]; !ok && sent.Parent != "" {
			s.ids[sent.Parent], s.awaited[sent.Parent] = newSpanID(s.tree.rng), true
		}
		span.SetParentSpanID(s.ids[sent.Parent])
		if sent.Start != nil {
			span.SetStartTimestamp(*sent.Start)
		}
		if sent.End != nil {
			span.SetEndTimestamp(*sent.End)
		}
		if sent.Original != "" {
			span.Attributes().PutStr(naming.OriginalNameKey, sent.Original)
		}
		for _, rule := range sent.Links {
			link := span.Links().AppendEmpty()
			if rule != "" {
				link.Attributes().PutStr(linkRuleKey, rule)
			}
		}
	}
	return s.tree.td
}

func metricsOf(t *testing.T, all []sentMetrics) pmetric.Metrics {
	md := pmetric.NewMetrics()
	for _, sent := range all {
		rm := md.ResourceMetrics().AppendEmpty()
		rm.Resource().Attributes().PutStr("service.name", sent.Service)
		if sent.Instance != "" {
			rm.Resource().Attributes().PutStr("service.instance.id", sent.Instance)
		}
		sm := rm.ScopeMetrics().AppendEmpty()
		sm.Scope().SetName(sent.Scope)
		for _, name := range sent.Names {
			m := sm.Metrics().AppendEmpty()
			m.SetName(name)
			if original, ok := sent.Originals[name]; ok {
				m.Metadata().PutStr(naming.OriginalNameKey, original)
			}
			require.NoError(t, m.SetEmptyGauge().DataPoints().AppendEmpty().Attributes().FromRaw(sent.Attributes))
		}
	}
	return md
}

func (s *sender) logs(t *testing.T, all []sentLogs) plog.Logs {
	ld := plog.NewLogs()
	for _, sent := range all {
		addRecords(ld, sent.Service, sent.Scope, max(sent.Records, 1), func(r plog.LogRecord) {
			require.NoError(t, r.Attributes().FromRaw(sent.Attributes))
			r.Body().SetStr(sent.Body)
			r.SetSeverityNumber(sent.Severity)
			if sent.Trace {
				r.SetTraceID(newTraceID(s.tree.rng))
			}
			if sent.Span {
				r.SetSpanID(newSpanID(s.tree.rng))
			}
		})
	}
	return ld
}

func (s *sentScrape) metrics() pmetric.Metrics {
	md := scrape(s.Job, s.Instance, s.Up)
	for _, m := range md.ResourceMetrics().At(0).ScopeMetrics().At(0).Metrics().All() {
		m.Gauge().DataPoints().At(0).SetFlags(pmetric.DefaultDataPointFlags.WithNoRecordedValue(s.Gone))
	}
	return md
}

// TestCoherence checks what is said about the traces of testdata/coherence.yaml.
func TestCoherence(t *testing.T) {
	for _, c := range testfiles.Cases[struct {
		Trace string
		Spans []sentSpan
		Want  map[string]int64
	}](t, "testdata/coherence.yaml") {
		s := newTestState(t, nil)
		s.judgeTraces(context.Background(), newSender().traces(c.Spans))
		s.judgeAll()
		r := s.now()
		for _, rule := range report.Rules() {
			assert.Equal(t, c.Want[rule.ID], totalOf(r, rule.ID), "%s: %s", c.Trace, rule.ID)
		}
	}
}
