// SPDX-License-Identifier: Apache-2.0

package scenario_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/otelcol-tc/otelcol-tc/cmd/tcgen/scenario"
)

// TestStates holds what the scenarios say of their entries against the text.
func TestStates(t *testing.T) {
	traceIDs := regexp.MustCompile(`trace_id=([0-9a-f]{32})`)
	files := map[string]map[scenario.States]int{}
	for _, system := range scenario.Names() {
		_, batches := generate(t, system, 1)
		for _, b := range batches {
			for _, l := range b.Lines {
				if files[l.File] == nil {
					files[l.File] = map[scenario.States]int{}
				}
				files[l.File][l.States]++
				trace := l.Span.TraceID.String()
				own, others := 0, 0
				for _, id := range traceIDs.FindAllStringSubmatch(l.Text, -1) {
					switch id[1] {
					case strings.Repeat("0", len(id[1])):
					case trace:
						own++
					default:
						others++
					}
				}
				span := l.Span != scenario.SpanRef{} && strings.Contains(l.Text, "span_id="+l.Span.SpanID.String())
				want := scenario.StatesNothing
				switch {
				case others > 0:
					want = scenario.StatesConflict
				case span:
					want = scenario.StatesIDs
				case own > 0:
					want = scenario.StatesTrace
				}
				if l.States != want || span && own == 0 {
					t.Errorf("%s states %q; want %q: %s", l.File, l.States, want, l.Text)
				}
			}
		}
	}
	f := func(file string, want ...scenario.States) {
		t.Helper()
		for _, states := range want {
			if files[file][states] == 0 {
				t.Errorf("%s: no entry states %q", file, states)
			}
		}
	}
	f("tensorcast_daemon.log", scenario.StatesIDs, scenario.StatesNothing)
	f("tensorcast_peer_daemon.log", scenario.StatesNothing)
	f("tensorcast_global_store.log", scenario.StatesIDs, scenario.StatesNothing)
	f("tensorcast_daemon_stderr.log", scenario.StatesIDs, scenario.StatesNothing)
	f("fastdeploy_mixed-0.log", scenario.StatesNothing)
	f("fastdeploy_prefill-0.log", scenario.StatesNothing)
	f("fastdeploy_prefill-0_trace.log", scenario.StatesTrace, scenario.StatesNothing)
	f("fastdeploy_mixed-0_trace.log", scenario.StatesIDs, scenario.StatesTrace, scenario.StatesConflict, scenario.StatesNothing)
}

// TestNativeIDs checks that each record over OTLP names a span of its batch, or none.
func TestNativeIDs(t *testing.T) {
	for _, system := range []string{"tuft", "pytango"} {
		_, batches := generate(t, system, 1)
		inside, outside := 0, 0
		for _, b := range batches {
			sent := map[scenario.SpanRef]bool{}
			for _, s := range spans(b) {
				sent[s.ref()] = true
			}
			for _, r := range records(b) {
				ref := scenario.SpanRef{TraceID: r.TraceID(), SpanID: r.SpanID()}
				switch {
				case ref == scenario.SpanRef{}:
					outside++
				case sent[ref]:
					inside++
				default:
					t.Errorf("%s: %q is in a span that was not sent", system, r.Body().Str())
				}
			}
		}
		if inside == 0 || outside == 0 {
			t.Errorf("%s: %d records in a span, %d outside", system, inside, outside)
		}
	}
}
