// SPDX-License-Identifier: Apache-2.0

package main

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/extension/extensiontest"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
	"go.opentelemetry.io/collector/processor"
	"go.opentelemetry.io/collector/processor/processortest"

	"github.com/otelcol-tc/otelcol-tc/extension/correlationindexextension"
	"github.com/otelcol-tc/otelcol-tc/processor/namingprocessor"
	"github.com/otelcol-tc/otelcol-tc/processor/spanlinkprocessor"
)

func TestEachPairIsLinked(t *testing.T) {
	const sent = 5
	f := func(l otlpLoad, share float64) {
		t.Run(l.String(), func(t *testing.T) {
			var requests []*request
			for connection := range connections {
				requests = append(requests, newRequest(l.request, connection))
			}
			var all []ptrace.Traces
			for range sent {
				for _, r := range requests {
					decoded := ptraceotlp.NewExportRequest()
					require.NoError(t, decoded.UnmarshalProto(r.next()))
					all = append(all, decoded.Traces())
				}
			}
			got := linked{producers: map[string]spanIDs{}, consumers: map[string]spanIDs{}, targets: map[spanIDs]spanIDs{}}
			naming := namingprocessor.NewFactory()
			for i, td := range all {
				all[i] = throughNaming(t, naming, td)
			}
			for _, td := range throughSpanLink(t, all) {
				got.read(t, td, l.attributes)
			}
			require.Equal(t, sent*connections*itemsPerRequest, got.spans)
			require.InDelta(t, share, float64(len(got.producers)+len(got.consumers))/float64(got.spans), 0.005)

			want := map[spanIDs]spanIDs{}
			for key, consumer := range got.consumers {
				if producer, ok := got.producers[key]; ok {
					want[consumer] = producer
				}
			}
			require.Equal(t, want, got.targets)
			require.Len(t, got.targets, got.links)
			// The producers of every other pair of the first requests were never sent.
			require.Len(t, want, connections*(sent*keyedPairs-keyedPairs/2))
		})
	}
	for _, attributes := range []int{5, 10} {
		l, err := newLinkLoad(attributes)
		require.NoError(t, err)
		f(l, 0.1)
	}
}

type spanIDs struct {
	trace pcommon.TraceID
	span  pcommon.SpanID
}

// linked is what has been found of pairs and links.
type linked struct {
	spans, links         int
	producers, consumers map[string]spanIDs // by key
	targets              map[spanIDs]spanIDs
}

func (l *linked) read(t *testing.T, td ptrace.Traces, attributes int) {
	for _, rs := range td.ResourceSpans().All() {
		for _, span := range rs.ScopeSpans().At(0).Spans().All() {
			l.spans++
			require.Equal(t, attributes, span.Attributes().Len())
			require.Positive(t, span.EndTimestamp()-span.StartTimestamp())
			ids := spanIDs{span.TraceID(), span.SpanID()}
			if key, ok := span.Attributes().Get("job.key"); ok {
				of := l.producers
				if span.Kind() == ptrace.SpanKindConsumer {
					of = l.consumers
				}
				_, known := of[key.Str()]
				require.False(t, known, "key %s is there again", key.Str())
				of[key.Str()] = ids
			}
			for _, link := range span.Links().All() {
				l.links++
				require.NotEqual(t, ids.trace, link.TraceID())
				l.targets[ids] = spanIDs{link.TraceID(), link.SpanID()}
			}
		}
	}
}

// host has the extensions of a test.
type host map[component.ID]component.Component

func (h host) GetExtensions() map[component.ID]component.Component { return h }

// throughNaming names spans, since packs know more keys then.
func throughNaming(t *testing.T, factory processor.Factory, td ptrace.Traces) ptrace.Traces {
	var sink consumertest.TracesSink
	parsed := factory.CreateDefaultConfig().(*namingprocessor.Config)
	parsed.KeepOriginal = false // which would be one attribute more
	p, err := factory.CreateTraces(t.Context(), processortest.NewNopSettings(factory.Type()), parsed, &sink)
	require.NoError(t, err)
	require.NoError(t, p.Start(t.Context(), componenttest.NewNopHost()))
	require.NoError(t, p.ConsumeTraces(t.Context(), td))
	return sink.AllTraces()[0]
}

func throughSpanLink(t *testing.T, all []ptrace.Traces) []ptrace.Traces {
	extension := correlationindexextension.NewFactory()
	index, err := extension.Create(t.Context(), extensiontest.NewNopSettings(extension.Type()),
		readPart(t, extension, "extensions::correlation_index", config("span_link")))
	require.NoError(t, err)
	require.NoError(t, index.Start(t.Context(), componenttest.NewNopHost()))

	var sink consumertest.TracesSink
	factory := spanlinkprocessor.NewFactory()
	p, err := factory.CreateTraces(t.Context(), processortest.NewNopSettings(factory.Type()), readConfig(t, factory, config("span_link")), &sink)
	require.NoError(t, err)
	require.NoError(t, p.Start(t.Context(), host{component.NewID(extension.Type()): index}))
	for _, td := range all {
		require.NoError(t, p.ConsumeTraces(t.Context(), td))
	}
	require.Len(t, sink.AllTraces(), len(all), "spans are held")
	require.NoError(t, p.Shutdown(t.Context()))
	require.NoError(t, index.Shutdown(t.Context()))
	return sink.AllTraces()
}

func TestPlaceholdersAreFound(t *testing.T) {
	m := placeholder(7)
	body := append([]byte("ab"), (m | before).bytes()...)
	body = append(body, keyText(m)...)
	require.Equal(t, []place{{at: 2, before: true, number: 7}, {at: 10 + len("3f2504e04f8941d3"), text: true, number: 7}}, placeholdersIn(body))
}

func TestDrawnIDsDiffer(t *testing.T) {
	const sent = 20
	seen := map[uint64]bool{}
	for connection := range uint64(connections) {
		for n := range uint64(sent) {
			for number := range uint64(2 * itemsPerRequest) {
				seen[drawn(connection<<56|n<<16|number)] = true
			}
		}
	}
	require.Len(t, seen, connections*sent*2*itemsPerRequest)
}
