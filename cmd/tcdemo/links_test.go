// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.opentelemetry.io/collector/pdata/ptrace"
)

// sentPairLines is a truth as tcgen writes it. Each of the spans is the only one of its
// trace, whose id ends in the same digit: 1 to 4 are TuFT's, 5 and 6 PyTango's.
var sentPairLines = []string{
	pairLine("tuft", 1, 2, true),
	pairLine("tuft", 2, 3, true),
	pairLine("tuft", 3, 4, false),
	pairLine("pytango", 5, 6, true),
}

func pairLine(system string, from, to int, findable bool) string {
	return fmt.Sprintf(`{"system":%q,"rule":"rule","from":{"trace_id":"%032x","span_id":"%016x"},"to":{"trace_id":"%032x","span_id":"%016x"},"findable":%t}`,
		system, from, from, to, to, findable)
}

// spansOut builds what the collector wrote about the spans of sentPairLines, which
// change may spoil: spans[1] is span 1.
func spansOut(change func(spans []ptrace.Span)) ptrace.Traces {
	td := ptrace.NewTraces()
	spans := []ptrace.Span{{}}
	add := func(count int, resource ...string) {
		rs := td.ResourceSpans().AppendEmpty()
		for i := 0; i < len(resource); i += 2 {
			rs.Resource().Attributes().PutStr(resource[i], resource[i+1])
		}
		// None of them moves when another comes.
		all := rs.ScopeSpans().AppendEmpty().Spans()
		for range count {
			span := all.AppendEmpty()
			setRef(span.SetTraceID, span.SetSpanID, len(spans))
			spans = append(spans, span)
		}
	}
	add(4, "service.name", "tuft")
	add(2, "service.name", "SKABaseDevice", "service.namespace", "tango")
	appendLink(spans[2], 1, "tuft.request", "log")
	appendLink(spans[2], 3, "tuft.session", "span").Attributes().PutStr("tc.link.direction", "forward")
	appendLink(spans[6], 5, "pytango.client", "span")
	change(spans)
	return td
}

// setRef sets both ids of a span or link.
func setRef[T ~[16]byte, S ~[8]byte](setTrace func(T), setSpan func(S), n int) {
	var trace T
	var span S
	_, errTrace := hex.Decode(trace[:], fmt.Appendf(nil, "%032x", n))
	_, errSpan := hex.Decode(span[:], fmt.Appendf(nil, "%016x", n))
	if errTrace != nil || errSpan != nil {
		panic(errors.Join(errTrace, errSpan)) // a mistake in a test
	}
	setTrace(trace)
	setSpan(span)
}

// appendLink adds a link to span n; one without a rule was sent.
func appendLink(span ptrace.Span, n int, rule, evidence string) ptrace.SpanLink {
	link := span.Links().AppendEmpty()
	setRef(link.SetTraceID, link.SetSpanID, n)
	if rule != "" {
		link.Attributes().PutStr("opentracing.ref_type", "follows_from")
		link.Attributes().PutStr("tc.link.rule", rule)
		link.Attributes().PutStr("tc.link.evidence", evidence)
	}
	return link
}

// reportLinks returns the tables and the faults of what came out.
func reportLinks(t *testing.T, change func(spans []ptrace.Span)) (tables string, faults error) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "sent-pairs.json")
	if err := os.WriteFile(file, []byte(strings.Join(sentPairLines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	paired, err := readPairs(file)
	if err != nil {
		t.Fatal(err)
	}
	line, err := (&ptrace.JSONMarshaler{}).MarshalTraces(spansOut(change))
	if err != nil {
		t.Fatal(err)
	}
	got := newOutput()
	if err := got.traces(line); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	r := reporter{out: &out}
	if err := r.links(join(paired, got.spans)); err != nil {
		t.Fatal(err)
	}
	return out.String(), errors.Join(r.faults...)
}

func TestLinkTables(t *testing.T) {
	f := func(change func(spans []ptrace.Span), rows ...[]string) {
		t.Helper()
		tables, faults := reportLinks(t, change)
		if faults != nil {
			t.Errorf("faults: %v", faults)
		}
		for _, row := range rows {
			if want := strings.Join(row, " "); !strings.Contains(squeeze(tables), want) {
				t.Errorf("no row %q in:\n%s", want, tables)
			}
		}
	}
	f(func([]ptrace.Span) {},
		[]string{"pytango", "2", "2", "2", "1 of 1 (100 %)", "0"},
		[]string{"tuft", "4", "4", "3", "2 of 2 (100 %)", "0"},
		[]string{"all", "6", "6", "5", "3 of 3 (100 %)", "0"},
		[]string{"pytango.client", "1", "0", "1", "0"},
		[]string{"tuft.request", "1", "0", "0", "1"},
		[]string{"tuft.session", "1", "1", "1", "0"},
		[]string{"all", "3", "1", "2", "1"})
	// Nothing is wrong with a link that is true and was not to be found.
	f(func(spans []ptrace.Span) { appendLink(spans[4], 3, "own", "span") },
		[]string{"tuft", "4", "4", "4", "2 of 2 (100 %)", "0"})
	// What was sent is neither right nor wrong, but these traces were never alone.
	f(func(spans []ptrace.Span) { appendLink(spans[4], 1, "", "") },
		[]string{"tuft", "4", "2", "4", "2 of 2 (100 %)", "0"},
		[]string{"all", "3", "1", "2", "1"})
	// A link within a trace makes it no less alone.
	f(func(spans []ptrace.Span) { appendLink(spans[4], 4, "", "").SetSpanID([8]byte{1}) },
		[]string{"tuft", "4", "4", "3", "2 of 2 (100 %)", "0"})
}

func TestLinkFaults(t *testing.T) {
	f := func(want string, change func(spans []ptrace.Span)) {
		t.Helper()
		_, faults := reportLinks(t, change)
		if faults == nil || !strings.Contains(faults.Error(), want) {
			t.Errorf("faults: %v; want one with %q", faults, want)
		}
	}
	f("pytango: 1 pairs of spans belong together, 0 came out linked", func(spans []ptrace.Span) {
		spans[6].Links().RemoveIf(func(ptrace.SpanLink) bool { return true })
	})
	f("tuft: 1 wrong links; the first: tuft.session joins span 0000000000000001 of trace "+
		"00000000000000000000000000000001 and, after it, 0000000000000003 of 00000000000000000000000000000003: "+
		"which do not belong together", func(spans []ptrace.Span) { appendLink(spans[3], 1, "tuft.session", "span") })
	// Between systems, and to a span that nobody sent.
	f("pytango: 1 wrong links", func(spans []ptrace.Span) { appendLink(spans[6], 1, "tuft.session", "span") })
	f("tuft: 1 wrong links", func(spans []ptrace.Span) { appendLink(spans[1], 9, "tuft.session", "span") })
	// A link by the earlier span that says it is by the later one, and the reverse.
	f("tuft: 1 wrong links; the first: own joins span 0000000000000004 of trace "+
		"00000000000000000000000000000004 and, after it, 0000000000000003 of 00000000000000000000000000000003: "+
		"the wrong way round", func(spans []ptrace.Span) { appendLink(spans[3], 4, "own", "span") })
	f("the wrong way round", func(spans []ptrace.Span) {
		spans[6].Links().At(0).Attributes().PutStr("tc.link.direction", "forward")
	})
	f("tuft: 1 links of a span to itself", func(spans []ptrace.Span) { appendLink(spans[1], 1, "own", "span") })
	f("tuft: 1 links twice on one span", func(spans []ptrace.Span) { appendLink(spans[2], 1, "tuft.request", "log") })
	f("pytango: 1 links twice on one span", func(spans []ptrace.Span) { appendLink(spans[6], 5, "", "") })
	f("tuft: 1 pairs of spans linked both ways", func(spans []ptrace.Span) {
		appendLink(spans[3], 2, "tuft.session", "span")
	})
}
