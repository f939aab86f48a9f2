// SPDX-License-Identifier: Apache-2.0

package scenario_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/common/expfmt"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-tc/otelcol-tc/tests/tcgen/scenario"
)

var base = time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)

// scenarios is how many scenarios a test looks at: enough for all variants.
const scenarios = 12

func generate(t *testing.T, system string, seed uint64, scenarios int) (scenario.Generator, []scenario.Batch) {
	t.Helper()
	g, err := scenario.New(system, seed, base)
	if err != nil {
		t.Fatal(err)
	}
	var batches []scenario.Batch
	for i := range scenarios {
		batches = append(batches, g.Next(nowOf(i)))
	}
	return g, batches
}

func nowOf(i int) time.Time { return base.Add(time.Duration(i+1) * 10 * time.Second) }

func TestNewRejectsUnknownSystem(t *testing.T) {
	_, err := scenario.New("tensorflow", 1, base)
	if err == nil || !strings.Contains(err.Error(), `unknown system "tensorflow": must be one of tensorcast,`) {
		t.Errorf("got error %v", err)
	}
}

// TestSameSeedSameData plays the files of all systems.
func TestSameSeedSameData(t *testing.T) {
	for _, system := range slices.Concat(scenario.Names(), scenario.KeptNames()) {
		first, again, other := serialize(t, system, 7), serialize(t, system, 7), serialize(t, system, 8)
		if first != again {
			t.Errorf("%s: two runs with one seed differ", system)
		}
		if first == other && first != "" {
			t.Errorf("%s: runs with different seeds are equal", system)
		}
	}
}

// serialize returns all that a run sends, writes and exposes, and its truth.
func serialize(t *testing.T, system string, seed uint64) string {
	var out bytes.Buffer
	generator, batches := generate(t, system, seed, 3)
	for _, b := range batches {
		traces, errT := (&ptrace.ProtoMarshaler{}).MarshalTraces(b.Traces)
		metrics, errM := (&pmetric.ProtoMarshaler{}).MarshalMetrics(b.Metrics)
		logs, errL := (&plog.ProtoMarshaler{}).MarshalLogs(b.Logs)
		if errT != nil || errM != nil || errL != nil {
			t.Fatal(errT, errM, errL)
		}
		if len(traces)+len(metrics)+len(logs)+len(b.Lines) > 0 {
			fmt.Fprintf(&out, "%x\n%x\n%x\n%v\n%v\n", traces, metrics, logs, b.Lines, b.Pairs)
		}
	}
	scraped, ok := generator.(scenario.Scraped)
	if !ok {
		return out.String()
	}
	families, err := scraped.Gatherer().Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, family := range families {
		if _, err := expfmt.MetricFamilyToText(&out, family); err != nil {
			t.Fatal(err)
		}
	}
	return out.String()
}

func TestTruth(t *testing.T) {
	for _, system := range scenario.Names() {
		_, batches := generate(t, system, 1, scenarios)
		for i, b := range batches {
			byRef := spansOf(b)
			if len(byRef) != b.Traces.SpanCount() {
				t.Errorf("%s: two spans have one id", system)
			}
			if len(b.Pairs) == 0 {
				t.Errorf("%s: scenario %d has no pairs", system, i)
			}
			for _, p := range b.Pairs {
				from, fromOK := byRef[p.From]
				to, toOK := byRef[p.To]
				if !fromOK || !toOK {
					t.Fatalf("%s: %s pairs %v with %v, of which one was not sent", system, p.Rule, p.From, p.To)
				}
				if from.TraceID() == to.TraceID() {
					t.Errorf("%s: %s pairs %s with %s of the same trace", system, p.Rule, from.Name(), to.Name())
				}
				if from.StartTimestamp() > to.StartTimestamp() {
					t.Errorf("%s: %s pairs %s with the earlier %s", system, p.Rule, from.Name(), to.Name())
				}
			}
			for _, l := range b.Lines {
				if _, ok := byRef[l.Span]; !ok && l.Span != (scenario.SpanRef{}) {
					t.Errorf("%s: log line in a span that was not sent: %s", system, l.Text)
				}
				if age := nowOf(i).Sub(l.Time); age < 0 || age > 2*time.Second {
					t.Errorf("%s: log line %s before the end of the scenario: %s", system, age, l.Text)
				}
			}
		}
	}
}

func spansOf(b scenario.Batch) map[scenario.SpanRef]ptrace.Span {
	spans := map[scenario.SpanRef]ptrace.Span{}
	for _, rs := range b.Traces.ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			for _, s := range ss.Spans().All() {
				spans[scenario.SpanRef{TraceID: s.TraceID(), SpanID: s.SpanID()}] = s
			}
		}
	}
	return spans
}
