// SPDX-License-Identifier: Apache-2.0

package scenario_test

import (
	"bytes"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/common/expfmt"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-tc/otelcol-tc/cmd/tcgen/scenario"
)

func TestNewRejectsUnknownSystem(t *testing.T) {
	_, err := scenario.New("tensorflow", 1, base)
	if err == nil || !strings.Contains(err.Error(), `unknown system "tensorflow": must be one of tensorcast,`) {
		t.Errorf("got error %v", err)
	}
}

func TestSameSeedSameData(t *testing.T) {
	for _, system := range scenario.Names() {
		first, again, other := serialize(t, system, 7), serialize(t, system, 7), serialize(t, system, 8)
		if first != again {
			t.Errorf("%s: two runs with one seed differ", system)
		}
		if first == other {
			t.Errorf("%s: runs with different seeds are equal", system)
		}
	}
}

// serialize returns all that a run sends, writes and exposes, and its truth.
func serialize(t *testing.T, system string, seed uint64) string {
	var out bytes.Buffer
	generator, batches := generate(t, system, seed)
	for _, b := range batches {
		traces, errT := (&ptrace.ProtoMarshaler{}).MarshalTraces(b.Traces)
		metrics, errM := (&pmetric.ProtoMarshaler{}).MarshalMetrics(b.Metrics)
		logs, errL := (&plog.ProtoMarshaler{}).MarshalLogs(b.Logs)
		if errT != nil || errM != nil || errL != nil {
			t.Fatal(errT, errM, errL)
		}
		fmt.Fprintf(&out, "%x\n%x\n%x\n%v\n%v\n", traces, metrics, logs, b.Lines, b.Pairs)
	}
	for _, family := range gather(t, generator) {
		if _, err := expfmt.MetricFamilyToText(&out, family); err != nil {
			t.Fatal(err)
		}
	}
	return out.String()
}

func TestTruth(t *testing.T) {
	for _, system := range scenario.Names() {
		_, batches := generate(t, system, 1)
		for i, b := range batches {
			byRef := map[scenario.SpanRef]spanIn{}
			for _, s := range spans(b) {
				if _, twice := byRef[s.ref()]; twice {
					t.Errorf("%s: two spans %v", system, s.ref())
				}
				byRef[s.ref()] = s
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

// TestPairsShareTheirKey checks that the rules whose key both stages carry as an
// attribute can be found by it.
func TestPairsShareTheirKey(t *testing.T) {
	f := func(system, rule string, equal bool) {
		t.Helper()
		_, batches := generate(t, system, 1)
		found := 0
		for _, b := range batches {
			keys := map[scenario.SpanRef]any{}
			for _, s := range spans(b) {
				if v, ok := s.Attributes().Get(rule); ok {
					keys[s.ref()] = v.AsRaw()
				}
			}
			for _, p := range b.Pairs {
				if p.Rule != rule {
					continue
				}
				found++
				from, to := keys[p.From], keys[p.To]
				if from == nil || to == nil || reflect.DeepEqual(from, to) != equal {
					t.Errorf("%s: keys %v and %v", rule, from, to)
				}
			}
		}
		if found == 0 {
			t.Errorf("%s: no pairs", rule)
		}
	}
	f("tensorcast", scenario.RuleTransport, true)
	f("tuft", scenario.RuleTrainingRun, true)
	f("tuft", scenario.RuleSession, true)
	f("tuft", scenario.RuleSamplingSession, true)
	// These are written differently on the two sides.
	f("fastdeploy", scenario.RuleRequest, false)
	f("fastdeploy", scenario.RuleBootstrapRoom, false)
}

// TestFuturesAreNamedByALog checks that the rest of TuFT's pairs can be found by a log
// of the one stage, and that all executions without a parent are in one.
func TestFuturesAreNamedByALog(t *testing.T) {
	_, batches := generate(t, "tuft", 1)
	for i, b := range batches {
		futures := map[scenario.SpanRef]string{} // of executions without a parent
		for _, s := range spans(b) {
			if s.Name() == "future_store.execute_operation" && s.ParentSpanID().IsEmpty() {
				id, _ := s.Attributes().Get("tuft.request_id")
				futures[s.ref()] = id.Str()
			}
		}
		enqueued := map[string]scenario.SpanRef{}
		for _, r := range records(b) {
			if future, ok := strings.CutPrefix(r.Body().Str(), "Future enqueued: "); ok {
				enqueued[future] = scenario.SpanRef{TraceID: r.TraceID(), SpanID: r.SpanID()}
			}
		}
		pairs := 0
		for _, p := range b.Pairs {
			if p.Rule != scenario.RuleRequestID {
				continue
			}
			pairs++
			if enqueued[futures[p.To]] != p.From {
				t.Errorf("scenario %d: no log of %v names the future of %v", i, p.From, p.To)
			}
		}
		if pairs != len(futures) || (pairs > 0) != (i%3 == 2) {
			t.Errorf("scenario %d: %d pairs, %d executions without a parent", i, pairs, len(futures))
		}
	}
}

// TestClientsDiffer checks that no two runs of PyTango's script share a process id, which
// would join calls that have nothing to do with each other.
func TestClientsDiffer(t *testing.T) {
	_, batches := generate(t, "pytango", 1)
	runs := map[int64]int{}
	for i, b := range batches {
		for _, s := range spans(b) {
			pid, ok := s.Attributes().Get("tango.client_ident.pid")
			if !ok && s.Kind() == ptrace.SpanKindClient {
				pid, ok = s.resource.Attributes().Get("tango.process.id")
			}
			if !ok {
				continue
			}
			if run, known := runs[pid.Int()]; known && run != i {
				t.Errorf("scenarios %d and %d share client %d", run, i, pid.Int())
			}
			runs[pid.Int()] = i
		}
	}
	if len(runs) != len(batches) {
		t.Errorf("%d clients in %d scenarios", len(runs), len(batches))
	}
}

func TestCountersAreCumulative(t *testing.T) {
	for _, system := range []string{"tensorcast", "tuft"} {
		_, batches := generate(t, system, 1)
		last, starts := map[string]float64{}, map[string]time.Time{}
		points := 0
		for _, b := range batches {
			for r, rm := range b.Metrics.ResourceMetrics().All() {
				for s, sm := range rm.ScopeMetrics().All() {
					for _, m := range sm.Metrics().All() {
						if m.Type() != pmetric.MetricTypeSum || !m.Sum().IsMonotonic() {
							continue
						}
						for _, p := range m.Sum().DataPoints().All() {
							points++
							key := fmt.Sprint(r, s, m.Name(), p.Attributes().AsRaw())
							value := p.DoubleValue() + float64(p.IntValue())
							if value < last[key] {
								t.Errorf("%s: %s fell from %v to %v", system, key, last[key], value)
							}
							last[key] = value
							start, known := p.StartTimestamp().AsTime(), !starts[key].IsZero()
							// C++'s SDK starts all series at once, Python's each with its first measurement.
							if start.Before(base) || !start.Before(p.Timestamp().AsTime()) || system == "tensorcast" && !start.Equal(base) {
								t.Errorf("%s: %s starts at %s", system, key, start)
							}
							if known && !start.Equal(starts[key]) {
								t.Errorf("%s: the start of %s moved from %s to %s", system, key, starts[key], start)
							}
							starts[key] = start
						}
					}
				}
			}
		}
		if points == 0 {
			t.Errorf("%s: no counters", system)
		}
	}
}
