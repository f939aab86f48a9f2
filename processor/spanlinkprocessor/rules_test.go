// SPDX-License-Identifier: Apache-2.0

package spanlinkprocessor

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-tc/otelcol-tc/configs"
	"github.com/otelcol-tc/otelcol-tc/conventions/linking"
	"github.com/otelcol-tc/otelcol-tc/tests/testfiles"
)

func handoff(more string) rigSettings {
	return rigSettings{processor: `
rules:
  - name: handoff
    key: {span_attribute: job.key}
    from: {span_name: Producer/Put}
    to: {span_name: Consumer/Get}
` + more}
}

func put(n uint64, key any, edit ...func(*spec)) spec { return job("Producer/Put", n, key, edit) }

func get(n uint64, key any, edit ...func(*spec)) spec { return job("Consumer/Get", n, key, edit) }

func job(name string, n uint64, key any, edit []func(*spec)) spec {
	s := spec{Number: n, Name: name, At: time.Duration(n) * time.Second, Attributes: map[string]any{"job.key": key}}
	for _, e := range edit {
		e(&s)
	}
	return s
}

func in(trace uint64) func(*spec)   { return func(s *spec) { s.Trace = trace } }
func below(span uint64) func(*spec) { return func(s *spec) { s.Parent = span } }

var onePut = map[pair]bool{{1, 2}: true}

// ruleCases are cases of testdata/rules.yaml with the same settings.
type ruleCases struct {
	Name             string
	Fragment         string // a file of configs/fragments with rules
	Processor, Index string
	Cases            []ruleCase
}

type ruleCase struct {
	Linked, Orders []string
	On             []uint64                    // the spans with the links
	Counts         map[string]map[string]int64 // by metric and rule
	Spans          map[uint64]struct {
		Name, Kind   string
		Scope        string
		At           *time.Duration
		Takes        time.Duration
		Trace, Below uint64
		Attributes   map[string]any
		Resource     map[string]any
		Events       []map[string]any // the attributes of each
		Unset        bool             // its start
	}
}

// spec returns the span with a number.
func (c *ruleCase) spec(t *testing.T, n uint64) spec {
	t.Helper()
	given, ok := c.Spans[n]
	require.True(t, ok, "span %d", n)
	s := spec{
		Number: n, Trace: given.Trace, Parent: given.Below, Name: given.Name, Scope: given.Scope, Kind: ptrace.SpanKind(slices.Index(linking.SpanKinds, linking.SpanKind(given.Kind)) + 1),
		At: time.Duration(n) * time.Second, Takes: given.Takes, Attributes: maps.Clone(given.Attributes), Resource: given.Resource,
	}
	if given.At != nil {
		s.At = *given.At
	}
	s.Edit = func(span ptrace.Span) {
		for _, attributes := range given.Events {
			require.NoError(t, span.Events().AppendEmpty().Attributes().FromRaw(attributes))
		}
		if given.Unset {
			span.SetStartTimestamp(0)
		}
	}
	return s
}

// play plays a case in an order. Its parts are batches of spans, such as "1 2", times, such as "4s", and the spans that
// came out since the last time, such as "= 1".
func (c *ruleCase) play(t *testing.T, settings rigSettings, order string) {
	r := newRig(t, settings)
	var came []ptrace.Span
	for part := range strings.SplitSeq(order, "|") {
		part = strings.TrimSpace(part)
		if pause, err := time.ParseDuration(part); err == nil {
			time.Sleep(pause)
			synctest.Wait()
			continue
		}
		expected := strings.HasPrefix(part, "=")
		var numbers []uint64
		for number := range strings.FieldsSeq(strings.TrimPrefix(part, "=")) {
			n, err := strconv.ParseUint(number, 10, 64)
			require.NoError(t, err)
			numbers = append(numbers, n)
		}
		if expected {
			got := r.sink.take()
			require.Equal(t, numbers, numbersOf(got), "%q of %q", part, order)
			came = append(came, got...)
			continue
		}
		var specs []spec
		for _, n := range numbers {
			specs = append(specs, c.spec(t, n))
		}
		r.send(t, specs...)
		synctest.Wait()
	}
	time.Sleep(time.Minute)
	synctest.Wait()
	pairs, edges := derived(t, append(came, r.sink.take()...))
	requireNoCycle(t, edges)
	want := map[pair]bool{}
	for _, text := range c.Linked {
		var p pair
		_, err := fmt.Sscanf(text, "%d-%d", &p.Earlier, &p.Later)
		require.NoError(t, err)
		want[p] = true
	}
	assert.Equal(t, want, pairs)
	for e := range edges {
		assert.True(t, c.On == nil || slices.Contains(c.On, e.from), "%d has a link", e.from)
	}
	for name, byRule := range c.Counts {
		assert.Equal(t, byRule, r.counts(name), name)
	}
}

// numbersOf returns the numbers of spans, in order.
func numbersOf(spans []ptrace.Span) (numbers []uint64) {
	for _, span := range spans {
		id := span.SpanID()
		numbers = append(numbers, uint64(id[7]))
	}
	return numbers
}

// fragment returns settings with the rules of a fragment.
func fragment(t *testing.T, name string) string {
	t.Helper()
	rules, err := configs.FS.ReadFile("fragments/" + name + ".yaml")
	require.NoError(t, err)
	return "rules:\n" + string(rules)
}

func TestRules(t *testing.T) {
	for _, group := range testfiles.Cases[ruleCases](t, "testdata/rules.yaml") {
		settings := rigSettings{processor: group.Processor, index: group.Index}
		if group.Fragment != "" {
			settings.processor = fragment(t, group.Fragment)
		}
		for n, c := range group.Cases {
			for _, order := range c.Orders {
				t.Run(fmt.Sprintf("%s, case %d, in order %s", group.Name, n+1, order), func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) { c.play(t, settings, order) })
				})
			}
		}
	}
}

func TestWhatALinkSays(t *testing.T) {
	r := newRig(t, handoff("    key_value: true\n"))
	edit := func(s *spec) {
		s.Edit = func(span ptrace.Span) {
			span.TraceState().FromRaw("ot=th:8")
			span.SetFlags(0xffffff01)
		}
	}
	r.send(t, put(1, "k", edit))
	r.send(t, get(3, "k"))
	r.send(t, get(5, "l"))
	r.send(t, put(4, "l"))
	spans := r.sink.take()

	check := func(span ptrace.Span, target uint64, flags uint32, state string, attributes map[string]any) {
		t.Helper()
		require.Equal(t, 1, span.Links().Len())
		link := span.Links().At(0)
		assert.Equal(t, traceOf(target), link.TraceID())
		assert.Equal(t, spanOf(target), link.SpanID())
		assert.Equal(t, flags, link.Flags())
		assert.Equal(t, state, link.TraceState().AsRaw())
		assert.Equal(t, attributes, link.Attributes().AsRaw())
	}
	check(spans[1], 1, 0x301, "ot=th:8", map[string]any{
		"opentracing.ref_type": "follows_from", "tc.link.rule": "handoff", "tc.link.key": "job.key",
		"tc.link.key.value": "k", "tc.link.delay_ms": int64(2000), "tc.link.evidence": "span",
	})
	check(spans[3], 5, 0x300, "", map[string]any{
		"opentracing.ref_type": "follows_from", "tc.link.rule": "handoff", "tc.link.key": "job.key",
		"tc.link.key.value": "l", "tc.link.delay_ms": int64(1000), "tc.link.evidence": "span", "tc.link.direction": "forward",
	})
}

// A trace state that is too long to be kept is left out.
func TestLongTraceState(t *testing.T) {
	for length, want := range map[int]int{256: 256, 257: 0} {
		r := newRig(t, handoff(""))
		edit := func(s *spec) {
			s.Edit = func(span ptrace.Span) { span.TraceState().FromRaw(fmt.Sprintf("%0*d", length, 1)) }
		}
		r.send(t, put(1, "k", edit))
		r.send(t, get(2, "k"))
		assert.Len(t, r.sink.take()[1].Links().At(0).TraceState().AsRaw(), want)
	}
}

// Links that a span has stay as they are, byte for byte, and count as links.
func TestExistingLinksStay(t *testing.T) {
	r := newRig(t, handoff(""))
	existing := func(s *spec) {
		s.Edit = func(span ptrace.Span) {
			for _, target := range []uint64{1, 7, 7} {
				link := span.Links().AppendEmpty()
				link.SetTraceID(traceOf(target))
				link.SetSpanID(spanOf(target))
				link.SetFlags(0x101)
				link.TraceState().FromRaw("a=b")
				link.SetDroppedAttributesCount(3)
				link.Attributes().PutStr("sdk", "wrote this")
			}
			span.SetDroppedLinksCount(2)
		}
	}
	r.send(t, put(1, "k"), put(3, "k"))
	consumer := get(2, "k", existing)
	r.send(t, consumer)
	got := r.sink.take()[2]

	want := ptrace.NewSpan()
	consumer.write(pcommon.NewMap(), want)
	require.Equal(t, 4, got.Links().Len(), "one to 3 was added, and none to 1")
	assert.Equal(t, spanOf(3), got.Links().At(3).SpanID())
	i := 0
	got.Links().RemoveIf(func(ptrace.SpanLink) bool { i++; return i == 4 })
	assert.Equal(t, marshal(t, want), marshal(t, got))
}

func marshal(t *testing.T, span ptrace.Span) string {
	t.Helper()
	td := ptrace.NewTraces()
	span.CopyTo(td.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans().AppendEmpty())
	return marshalTraces(t, td)
}

func marshalTraces(t *testing.T, td ptrace.Traces) string {
	t.Helper()
	text, err := (&ptrace.ProtoMarshaler{}).MarshalTraces(td)
	require.NoError(t, err)
	return string(text)
}
