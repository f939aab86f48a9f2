// SPDX-License-Identifier: Apache-2.0

package scenario_test

import (
	"regexp"
	"strings"
	"testing"

	dto "github.com/prometheus/client_model/go"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-tc/otelcol-tc/cmd/tcgen/scenario"
)

func TestTensorCastQuirks(t *testing.T) {
	generator, batches := generate(t, "tensorcast", 1)
	for _, b := range batches {
		registered := map[string]int{}
		for _, m := range metrics(b) {
			registered[m.Name()]++
			if m.Name() == "tc_pinned_budget_exhausted_total" && m.Type() != pmetric.MetricTypeGauge {
				t.Errorf("%s is a %s", m.Name(), m.Type())
			}
			if m.Unit() != "" {
				t.Errorf("%s has unit %q", m.Name(), m.Unit())
			}
		}
		if n := registered["tc_memory_pool_bytes"]; n != 4 {
			t.Errorf("tc_memory_pool_bytes occurs %d times; want 2 for each of 2 daemons", n)
		}
		for _, s := range spans(b) {
			orphan := s.Name() == "P2P/ChunkRecv" || s.Name() == "BeginReplicaFetch"
			if orphan && !s.ParentSpanID().IsEmpty() {
				t.Errorf("%s has a parent", s.Name())
			}
		}
	}
	if f := family(t, generator, "tc_replicas_total"); f.GetType() != dto.MetricType_GAUGE {
		t.Errorf("tc_replicas_total is a %s", f.GetType())
	}
}

func TestTuFTQuirks(t *testing.T) {
	_, batches := generate(t, "tuft", 1)
	for i, b := range batches {
		lostContext := i%3 == 2
		ends := map[pcommon.SpanID]pcommon.Timestamp{}
		for _, s := range spans(b) {
			ends[s.SpanID()] = s.EndTimestamp()
		}
		executions := 0
		for _, s := range spans(b) {
			if s.Name() != "future_store.execute_operation" {
				continue
			}
			executions++
			if s.ParentSpanID().IsEmpty() != lostContext {
				t.Errorf("scenario %d: execution with parent %q", i, s.ParentSpanID())
			}
			if lostContext {
				continue
			}
			if end := ends[s.ParentSpanID()]; end == 0 || end > s.StartTimestamp() {
				t.Errorf("execution at %d is a child of a request that ended at %d", s.StartTimestamp(), end)
			}
		}
		if executions == 0 {
			t.Error("no executions")
		}
		seen := map[string]int{}
		for _, r := range records(b) {
			seen[r.Timestamp().String()+r.Body().Str()+r.SpanID().String()]++
			id, _ := r.Attributes().Get("otelTraceID")
			if r.TraceID().IsEmpty() != (id.Str() == "0") {
				t.Errorf("trace id %s with otelTraceID %s", r.TraceID(), id.Str())
			}
		}
		for record, n := range seen {
			if n != 2 {
				t.Errorf("record %s arrives %d times", record, n)
			}
		}
	}
}

func TestPyTangoQuirks(t *testing.T) {
	_, batches := generate(t, "pytango", 1)
	for _, b := range batches {
		sent := map[pcommon.SpanID]bool{}
		for _, s := range spans(b) {
			sent[s.SpanID()] = true
		}
		dangling := 0
		resources := map[string]int{}
		for _, s := range spans(b) {
			if !s.ParentSpanID().IsEmpty() && !sent[s.ParentSpanID()] {
				dangling++
			}
			want := pcommon.ValueTypeInt
			if s.scope == "tango.cpp" {
				want = pcommon.ValueTypeStr
				if isServer := s.Kind() == ptrace.SpanKindServer; isServer && s.ParentSpanID().IsEmpty() {
					t.Errorf("%s is SERVER without a context", s.Name())
				}
			}
			if line, ok := s.Attributes().Get("code.lineno"); ok && line.Type() != want {
				t.Errorf("%s: code.lineno is a %s", s.scope, line.Type())
			}
		}
		for _, rs := range b.Traces.ResourceSpans().All() {
			if device, ok := rs.Resource().Attributes().Get("service.instance.id"); ok {
				resources[device.Str()]++
			}
		}
		if dangling != 1 {
			t.Errorf("%d dangling parents; want 1", dangling)
		}
		if resources["ska/base/1"] != 2 {
			t.Errorf("ska/base/1 arrives under %d resources; want 2", resources["ska/base/1"])
		}
		if b.Metrics.DataPointCount() != 0 {
			t.Error("PyTango sends no metrics")
		}
	}
}

func TestFastDeployQuirks(t *testing.T) {
	generator, batches := generate(t, "fastdeploy", 1)
	for _, b := range batches {
		in1970 := 0
		for _, s := range spans(b) {
			if id := s.TraceID(); [8]byte(id[:8]) != [8]byte{} || id.IsEmpty() {
				t.Errorf("trace id %s", id)
			}
			if s.StartTimestamp().AsTime().Year() == 1970 && s.Name() == "SCHEDULE" {
				in1970++
			}
		}
		if in1970 != 1 {
			t.Errorf("%d SCHEDULE spans start in 1970; want 1", in1970)
		}
	}
	if f := family(t, generator, "fastdeploy:requests_number"); f.GetType() != dto.MetricType_COUNTER {
		t.Errorf("fastdeploy:requests_number is a %s", f.GetType())
	}
}

// TestLineFormats checks every entry against the format of its file, and that there
// are entries of several lines.
func TestLineFormats(t *testing.T) {
	const hexIDs = `trace_id=[0-9a-f]{32} span_id=[0-9a-f]{16}`
	formats := map[string]*regexp.Regexp{
		"tensorcast_daemon.log":        regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}[+-]\d\d:\d\d [IWEF] tid=\d+ \w+\.cc:\d+ ` + hexIDs + ` .`),
		"tensorcast_peer_daemon.log":   regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}[+-]\d\d:\d\d [IWEF] tid=\d+ \w+\.cc:\d+ [^t]`),
		"tensorcast_global_store.log":  regexp.MustCompile(`^[A-Z]+ \d\d-\d\d \d\d:\d\d:\d\d \[[\w-]+\] (?:` + hexIDs + `|trace_id=- span_id=-) \w+\.py:\d+: .`),
		"tensorcast_daemon_stderr.log": regexp.MustCompile(`^[IWEF]\d{4} \d\d:\d\d:\d\d\.\d{6} {4}\d{4} \w+\.cc:\d+\] .`),
		"fastdeploy.log":               regexp.MustCompile(`^(?:\x1b\[\d\dm)?[A-Z]+ +\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3} \d+ +\w+\.py\[line:\d+\] .`),
		"fastdeploy_trace.log": regexp.MustCompile(`^INFO     \d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3} \d+ +trace_logger\.py\[line:42\] \[otel_trace_id=(?:0|[0-9a-f]{32})\] ` +
			`\[otel_span_id=(?:0|[0-9a-f]{16})\] \[thread=\d+\] \[thread_name=\w+\] \[timestamp=\d{13}\] \[request_id=\S+\] \[user_id=\S+\] \[event=\w+\] \[stage=\w+\] \[trace_id=(?:unknown|[0-9a-f]{32})\]`),
	}
	instance := regexp.MustCompile(`_(?:mixed|prefill|decode)-0`)
	multiLine := 0
	for _, system := range scenario.Names() {
		_, batches := generate(t, system, 1)
		for _, b := range batches {
			for _, l := range b.Lines {
				file := instance.ReplaceAllString(l.File, "")
				if !formats[file].MatchString(l.Text) {
					t.Errorf("%s: %s", l.File, l.Text)
				}
				multiLine += strings.Count(l.Text, "\n")
			}
		}
	}
	if multiLine == 0 {
		t.Error("no continuation lines")
	}
}

func family(t *testing.T, g scenario.Generator, name string) *dto.MetricFamily {
	t.Helper()
	for _, f := range gather(t, g) {
		if f.GetName() == name {
			return f
		}
	}
	t.Fatalf("no family %s", name)
	return nil
}
