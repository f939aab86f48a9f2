// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"slices"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
)

// keyedPairs is how many pairs of spans of a request share a key: one span puts a job into
// a queue and, in another trace, one gets it. With them a tenth of the spans have keys.
const keyedPairs = (itemsPerRequest + 10) / 20

func newLinkLoad(attributes int) (otlpLoad, error) {
	l := traceLoad(attributes)
	l.variant = tenthKeyed
	var err error
	l.request, err = ptraceotlp.NewExportRequestFromTraces(newLinks(attributes, keyedPairs)).MarshalProto()
	return l, err
}

// newLinks makes spans. So many pairs of them share a key. Trace ids and keys are placeholders
// (placeholders.go). The first span of every other pair is in the request before.
func newLinks(attributes, pairs int) ptrace.Traces {
	td := ptrace.NewTraces()
	others := itemsPerRequest - 2*pairs
	for s, src := range callSources {
		spans := src.appendTo(td)
		for n, i := s, 0; n < others; n, i = n+len(callSources), i+1 {
			span := newLinkSpan(spans, n, n-i%spansPerTrace*len(callSources))
			span.SetName(src.item(n, len(callSources)).name)
			span.SetKind(ptrace.SpanKindClient)
			if i%2 == 0 {
				// Of a call, the server's span ends first.
				span.SetKind(ptrace.SpanKindServer)
				span.SetParentSpanID(spanID(n + len(callSources)))
			}
			src.fill(span.Attributes(), attributes, n)
		}
	}
	for s, src := range jobSources {
		spans := src.appendTo(td)
		for pair := range pairs {
			n := others + pair*len(jobSources) + s
			span := newLinkSpan(spans, n, n-pair%spansPerTrace*len(jobSources))
			span.SetName(src.items[0].name)
			span.SetKind(ptrace.SpanKindProducer + ptrace.SpanKind(s))
			src.fill(span.Attributes(), attributes, pair)
		}
	}
	for _, rs := range td.ResourceSpans().All() {
		rs.Resource().Attributes().PutStr("deployment.environment.name", "production") // the rules' scope
	}
	return td
}

// newLinkSpan adds the nth span of a request. Its trace has the number of its first span.
func newLinkSpan(spans ptrace.SpanSlice, n, trace int) ptrace.Span {
	span := spans.AppendEmpty()
	span.SetTraceID(placeholderTrace(trace))
	span.SetSpanID(spanID(n))
	span.SetStartTimestamp(begun)
	span.SetEndTimestamp(ended)
	return span
}

// placeholderTrace is the id of the trace with a number less than itemsPerRequest.
func placeholderTrace(number int) pcommon.TraceID {
	id := pcommon.TraceID{0x5b}
	copy(id[8:], placeholder(number).bytes())
	return id
}

// putKey and getKey are the nth pair's key.
func putKey(pair int) string { return keyText(placeholder(itemsPerRequest + pair)) }

func getKey(pair int) string {
	m := placeholder(itemsPerRequest + pair)
	if pair%2 == 1 {
		m |= before
	}
	return keyText(m)
}

// keyText is as long as a UUID without dashes.
func keyText(m placeholder) string { return fmt.Sprintf("3f2504e04f8941d3%x", m.bytes()) }

// callSources are those of spanSources of whose spans no built-in pack takes a key: of
// FastDeploy's they would, once the spans are named.
var callSources = []source{spanSources[0], spanSources[1], spanSources[3].without("rid", "bootstrap_room")}

// without is the source with labels in place of these attributes.
func (s source) without(keys ...string) source {
	attributes := slices.Clone(s.attributes)
	for i, a := range attributes {
		if slices.Contains(keys, a.key) {
			attributes[i] = attribute{fmt.Sprint("k8s.label.", i), "serving"}
		}
	}
	s.attributes = attributes
	return s
}

// jobSources put jobs into a queue and get them from there.
var jobSources = []source{
	{
		service: "scheduler", namespace: "jobs", scope: "jobs.queue",
		items: []item{{name: "Producer/Put"}},
		attributes: []attribute{
			{"job.queue", "train"}, {"job.type", "forward_backward"}, {"job.key", putKey}, {"job.priority", 3}, {"tenant.id", "t-17"},
			{"thread.id", 4103}, {"thread.name", "dispatch"}, {"server.address", "10.0.0.7"}, {"server.port", 6379}, {"job.size", 1 << 20},
		},
	},
	{
		service: "worker", namespace: "jobs", scope: "jobs.queue",
		items: []item{{name: "Consumer/Get"}},
		attributes: []attribute{
			{"job.queue", "train"}, {"job.attempt", 1}, {"job.key", getKey}, {"job.priority", 3}, {"tenant.id", "t-17"},
			{"thread.id", 4107}, {"thread.name", "executor"}, {"server.address", "10.0.0.7"}, {"server.port", 6379}, {"gpu.id", 3},
		},
	},
}
