// SPDX-License-Identifier: Apache-2.0

package spanlinkprocessor

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// linked returns the pairs that a batch each makes.
func linked(t *testing.T, settings rigSettings, batches ...[]spec) map[pair]bool {
	t.Helper()
	r := newRig(t, settings)
	defer r.stop(t)
	for _, b := range batches {
		r.send(t, b...)
	}
	pairs, edges := derived(t, r.sink.take())
	requireNoCycle(t, edges)
	return pairs
}

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

var (
	none   = map[pair]bool{}
	onePut = map[pair]bool{{1, 2}: true}
)

// together and apart send spans in one batch and in one each.
func together(specs ...spec) [][]spec { return [][]spec{specs} }

func apart(specs ...spec) (batches [][]spec) {
	for _, s := range specs {
		batches = append(batches, []spec{s})
	}
	return batches
}

func TestKeysMeet(t *testing.T) {
	f := func(want map[pair]bool, a, b any) {
		t.Helper()
		assert.Equal(t, want, linked(t, handoff(""), apart(put(1, a), get(2, b))...), "%#v and %#v", a, b)
	}
	f(onePut, "k", "k")
	f(none, "k", "l")
	f(none, "7", "0x7")
	f(onePut, 7, "7")
}

func TestIntegersMeet(t *testing.T) {
	settings := rigSettings{processor: `
rules:
  - name: room
    key: {span_attribute: job.key, normalise: {integer: true}}
    from: {span_name: Producer/Put}
    to: {span_name: Consumer/Get}
`}
	for _, a := range []any{"0x7", 7, "7"} {
		for _, b := range []any{"0x7", 7, "7"} {
			assert.Equal(t, onePut, linked(t, settings, apart(put(1, a), get(2, b))...), "%#v and %#v", a, b)
		}
	}
	// What means none, on ten thousand spans.
	var specs []spec
	for i := range uint64(5000) {
		specs = append(specs, put(2*i+1, "0x0"), get(2*i+2, []any{"0x0", 0, "0", "", "-", "none"}[i%6]))
	}
	assert.Empty(t, linked(t, settings, specs))
}

func TestSpansOfOneTrace(t *testing.T) {
	f := func(want map[pair]bool, policy string, specs ...spec) {
		t.Helper()
		more := ""
		if policy != "" {
			more = "    same_trace: " + policy + "\n"
		}
		for name, batches := range map[string][][]spec{"together": together(specs...), "apart": apart(specs...)} {
			assert.Equal(t, want, linked(t, handoff(more), batches...), "%s, %s", policy, name)
		}
	}
	parent, child := put(1, "k", in(9)), get(2, "k", in(9), below(1))
	f(none, "", parent, child)
	f(none, "", child, parent)
	f(none, "never", parent, child)
	f(onePut, "always", parent, child)
	// The other way round: what is put below what gets it.
	f(none, "", get(2, "k", in(9)), put(1, "k", in(9), below(2)))
	siblings := []spec{put(1, "k", in(9), below(5)), get(2, "k", in(9), below(5))}
	f(onePut, "", siblings...)
	f(none, "never", siblings...)
	// Equal span ids of two traces are no relation.
	f(onePut, "", put(1, "k", in(8)), get(2, "k", in(9), below(1)))

	// An ancestor is known through spans of the batch that have no key themselves.
	between := spec{Number: 3, Trace: 9, Parent: 1, Name: "between"}
	grandchild := get(2, "k", in(9), below(3))
	assert.Equal(t, none, linked(t, handoff(""), together(parent, between, grandchild)...))
	assert.Equal(t, none, linked(t, handoff(""), together(grandchild, between, parent)...))
}

func TestNoSpanIsLinkedToItself(t *testing.T) {
	settings := rigSettings{processor: `
rules: [{name: all, key: {span_attribute: job.key}, same_trace: always, from: {}, to: {}}]
`}
	s := put(1, "k")
	assert.Equal(t, none, linked(t, settings, []spec{s, s}, []spec{s}))
}

func TestEqualKeysOfTwoScopesNeverMeet(t *testing.T) {
	of := func(key, tenant string) func(*spec) {
		return func(s *spec) { s.Resource = map[string]any{key: tenant} }
	}
	f := func(want map[pair]bool, settings rigSettings, a, b spec) {
		t.Helper()
		assert.Equal(t, want, linked(t, settings, apart(a, b)...))
	}
	rule := handoff("    scope: [deployment.environment.name]\n")
	f(onePut, rule, put(1, "k", of("deployment.environment.name", "a")), get(2, "k", of("deployment.environment.name", "a")))
	f(none, rule, put(1, "k", of("deployment.environment.name", "a")), get(2, "k", of("deployment.environment.name", "b")))
	f(none, rule, put(1, "k", of("deployment.environment.name", "a")), get(2, "k"))
	f(onePut, rule, put(1, "k", of("deployment.environment.name", "a")), get(2, "k", of("deployment.environment", "a")))
	f(none, rule, put(1, "k", of("deployment.environment.name", "a")), get(2, "k", of("deployment.environment", "b")))
	setting := handoff("scope: [tenant.id]\n")
	f(none, setting, put(1, "k", of("tenant.id", "a")), get(2, "k", of("tenant.id", "b")))
	f(onePut, setting, put(1, "k", of("other", "a")), get(2, "k", of("other", "b")))
	own := func(s *spec) { s.Attributes["tenant.id"] = "a" }
	f(onePut, setting, put(1, "k", of("tenant.id", "a")), get(2, "k", own))
}

func TestExpiredKeysDoNotMeet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		settings := handoff("")
		settings.index = "window: 1m"
		r := newRig(t, settings)
		defer r.stop(t)
		r.send(t, put(1, "k"))
		r.send(t, put(3, "l"))
		time.Sleep(50 * time.Second)
		r.send(t, get(2, "k"))
		time.Sleep(20 * time.Second)
		r.send(t, get(4, "l"))
		pairs, _ := derived(t, r.sink.take())
		assert.Equal(t, onePut, pairs)
	})
}

func TestWindowIsBetweenStarts(t *testing.T) {
	at := func(d time.Duration) func(*spec) { return func(s *spec) { s.At = d } }
	rule := handoff("    window: 1m\n")
	assert.Equal(t, onePut, linked(t, rule, apart(put(1, "k", at(0)), get(2, "k", at(time.Minute)))...))
	assert.Equal(t, none, linked(t, rule, apart(put(1, "k", at(0)), get(2, "k", at(61*time.Second)))...))
	// Clocks differ: what the stages say goes before what the clocks say.
	assert.Equal(t, onePut, linked(t, rule, apart(put(1, "k", at(time.Minute)), get(2, "k", at(0)))...))
	// A clock that has never been set.
	unset := func(s *spec) { s.Edit = func(span ptrace.Span) { span.SetStartTimestamp(0) } }
	assert.Equal(t, none, linked(t, rule, apart(put(1, "k"), get(2, "k", unset))...))
}

func TestOverlap(t *testing.T) {
	between := func(from, to time.Duration) func(*spec) {
		return func(s *spec) { s.At, s.Takes = from*time.Second, (to-from)*time.Second }
	}
	rule := handoff("    overlap: true\n")
	for _, specs := range [][]spec{
		{put(1, "k", between(10, 20)), get(2, "k", between(12, 18)), put(3, "k", between(21, 30))},
		{put(1, "k", between(10, 20)), get(2, "k", between(20, 25))},
	} {
		assert.Equal(t, onePut, linked(t, rule, together(specs...)...))
		assert.Equal(t, onePut, linked(t, rule, apart(specs...)...))
	}
	assert.Equal(t, none, linked(t, rule, apart(put(1, "k", between(10, 20)), get(2, "k", between(21, 25)))...))

	// The index keeps ends less exactly than spans have them: the same for both.
	exactly := func(from, to time.Duration) func(*spec) { return func(s *spec) { s.At, s.Takes = from, to-from } }
	first := put(1, "k", exactly(0, 1100*time.Microsecond))
	second := get(2, "k", exactly(1500*time.Microsecond, 2*time.Millisecond))
	assert.Equal(t, none, linked(t, rule, apart(first, second)...))
	assert.Equal(t, none, linked(t, rule, apart(second, first)...))
}

func TestDirectionByKindThenTime(t *testing.T) {
	settings := rigSettings{processor: `
rules: [{name: all, key: {span_attribute: job.key}, from: {}, to: {}}]
`}
	kind := func(k ptrace.SpanKind) func(*spec) { return func(s *spec) { s.Kind = k } }
	late := func(s *spec) { s.At = time.Hour }
	settings.index = "window: 2h"
	f := func(specs ...spec) {
		t.Helper()
		assert.Equal(t, onePut, linked(t, settings, apart(specs...)...))
		assert.Equal(t, onePut, linked(t, settings, apart(specs[1], specs[0])...))
		assert.Equal(t, onePut, linked(t, settings, together(specs...)...))
	}
	f(put(1, "k", kind(ptrace.SpanKindProducer), late), put(2, "k", kind(ptrace.SpanKindConsumer)))
	f(put(1, "k"), put(2, "k"))
	f(put(1, "k", kind(ptrace.SpanKindConsumer)), put(2, "k", kind(ptrace.SpanKindConsumer)))
	same := func(s *spec) { s.At = 0 }
	f(put(1, "k", same), put(2, "k", same)) // by ids
}

func TestStagesTellSpans(t *testing.T) {
	settings := rigSettings{processor: `
rules:
  - name: strict
    from:
      span_name: ["Put*", "*/Put"]
      kind: producer
      service: "shop-*"
      attributes: {queue: "orders*", region: eu}
      key: {all: [{resource_attribute: process.pid}, {span_attribute: job.key}]}
    to: {span_name: Get, key: {all: [{span_attribute: client.pid}, {span_attribute: job.key, normalise: {prefixes: [j-]}}]}}
`}
	from := func(edit func(*spec)) spec {
		s := spec{
			Number: 1, Name: "Shop/Put", Kind: ptrace.SpanKindProducer,
			Attributes: map[string]any{"job.key": 5, "queue": "orders-1"},
			Resource:   map[string]any{"service.name": "shop-a", "region": "eu", "process.pid": 77},
		}
		edit(&s)
		return s
	}
	to := spec{Number: 2, Name: "Get", At: time.Second, Attributes: map[string]any{"job.key": "j-5", "client.pid": "77"}}
	f := func(want map[pair]bool, edit func(*spec)) {
		t.Helper()
		assert.Equal(t, want, linked(t, settings, apart(from(edit), to)...))
	}
	f(onePut, func(*spec) {})
	f(onePut, func(s *spec) { s.Name = "PutAll" })
	f(none, func(s *spec) { s.Name = "Shop/PutAll" })
	f(none, func(s *spec) { s.Kind = ptrace.SpanKindConsumer })
	f(none, func(s *spec) { s.Resource["service.name"] = "bank" })
	f(none, func(s *spec) { delete(s.Resource, "service.name") })
	f(none, func(s *spec) { s.Attributes["queue"] = "mail" })
	f(none, func(s *spec) { delete(s.Attributes, "queue") })
	f(none, func(s *spec) { s.Resource["region"] = "us" })
	f(onePut, func(s *spec) { delete(s.Resource, "region"); s.Attributes["region"] = "eu" })
	f(none, func(s *spec) { s.Resource["process.pid"] = 78 })
	f(none, func(s *spec) { delete(s.Resource, "process.pid") })
	f(none, func(s *spec) { s.Resource["process.pid"] = 0 })
}

func TestSeveralKeysOfOneSpan(t *testing.T) {
	events := func(keys ...string) func(*spec) {
		return func(s *spec) {
			s.Edit = func(span ptrace.Span) {
				for _, key := range keys {
					span.Events().AppendEmpty().Attributes().PutStr("message.id", key)
				}
			}
		}
	}
	byEvent := rigSettings{processor: `
rules: [{name: messages, topology: fan_in, from: {span_name: Producer/Put, key: {span_attribute: job.key}}, to: {span_name: Consumer/Get, key: {event_attribute: message.id}}}]
`}
	want := map[pair]bool{{1, 3}: true, {2, 3}: true}
	assert.Equal(t, want, linked(t, byEvent, apart(put(1, "a"), put(2, "b"), get(3, "", events("a", "b", "c", "a")))...))
	assert.Equal(t, want, linked(t, byEvent, apart(get(3, "", events("a", "b", "c")), put(1, "a"), put(2, "b"))...))
	assert.Equal(t, want, linked(t, handoff(""), apart(put(1, "a"), put(2, "b"), get(3, []any{"a", "b", "c", nil}))...))
}

// Two rules that join the same two make one link.
func TestOneLinkByTwoRules(t *testing.T) {
	r := newRig(t, handoff(`  - name: again
    key: {span_attribute: job.key}
    from: {span_name: "Producer/*"}
    to: {span_name: "Consumer/*"}
`))
	defer r.stop(t)
	r.send(t, put(1, "k"))
	r.send(t, get(2, "k"))
	spans := r.sink.take()
	require.Len(t, spans, 2)
	require.Equal(t, 1, spans[1].Links().Len())
	rule, _ := spans[1].Links().At(0).Attributes().Get(ruleKey)
	assert.Equal(t, "handoff", rule.Str())
}

func TestWhatALinkSays(t *testing.T) {
	r := newRig(t, handoff("    key_value: true\n"))
	defer r.stop(t)
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
		r.stop(t)
	}
}

// Links that a span has stay as they are, byte for byte, and count as links.
func TestExistingLinksStay(t *testing.T) {
	r := newRig(t, handoff(""))
	defer r.stop(t)
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
	text, err := (&ptrace.ProtoMarshaler{}).MarshalTraces(td)
	require.NoError(t, err)
	return string(text)
}
