// SPDX-License-Identifier: Apache-2.0

package genai

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/processor"
	"go.opentelemetry.io/collector/processor/processortest"

	"github.com/otelcol-tc/otelcol-tc/processor/namingprocessor"
	"github.com/otelcol-tc/otelcol-tc/tests/pipetest"
	"github.com/otelcol-tc/otelcol-tc/tests/testfiles"
)

const operation = "gen_ai.operation.name"

// stock is testdata/stock.yaml.
type stock struct {
	Sources []stockSource `yaml:"sources"`
}

type stockSource struct {
	Name        string                       `yaml:"name"`
	Scope       string                       `yaml:"scope"`
	With        map[string]any               `yaml:"with"`
	Keys        map[string]string            `yaml:"keys"`
	Values      map[string]map[string]string `yaml:"values"`
	Differences []difference                 `yaml:"differences"`
}

// difference is a row of stock that ours does not have.
type difference struct {
	Key    string `yaml:"key"`
	Value  string `yaml:"value"` // of values; empty for a row of keys
	Ours   string `yaml:"ours"`  // what ours makes of the value; empty if nothing
	Reason string `yaml:"reason"`
}

func readStock(t *testing.T) stock {
	t.Helper()
	return testfiles.Read[stock](t, "testdata/stock.yaml")
}

// difference returns the difference about a key, or about one of its values.
func (s *stockSource) difference(key, value string) *difference {
	at := slices.IndexFunc(s.Differences, func(d difference) bool { return d.Key == key && d.Value == value })
	if at < 0 {
		return nil
	}
	return &s.Differences[at]
}

// samples are values that attributes have, by the key that stock copies them to, and what the copy is.
var samples = map[string][2]any{
	"gen_ai.usage.input_tokens":        {"12", int64(12)},
	"gen_ai.usage.output_tokens":       {12, int64(12)},
	"gen_ai.request.max_tokens":        {64, int64(64)},
	"gen_ai.request.temperature":       {1, 1.0},
	"gen_ai.request.top_p":             {"0.5", 0.5},
	"gen_ai.request.top_k":             {40, 40.0},
	"gen_ai.request.frequency_penalty": {0.5, 0.5},
	"gen_ai.request.presence_penalty":  {0.5, 0.5},
	"gen_ai.request.stop_sequences":    {[]any{"END"}, []any{"END"}},
	"gen_ai.response.finish_reasons":   {"stop", []any{"stop"}},
	"gen_ai.provider.name":             {"openai", "openai"},
}

// input returns the attributes of a span with one of stock's keys, and the value that the copy has.
func (s *stockSource) input(key string) (attributes map[string]any, want any) {
	attributes = maps.Clone(s.With)
	if attributes == nil {
		attributes = map[string]any{}
	}
	if strings.HasSuffix(key, "put_messages") {
		// One attribute for each field, as OpenInference demands.
		attributes[key+".0.message.role"], attributes[key+".0.message.content"] = "user", "Hello"
		return attributes, `[{"role":"user","parts":[{"type":"text","content":"Hello"}]}]`
	}
	sample, ok := samples[s.Keys[key]]
	if s.Keys[key] == operation {
		value := slices.Sorted(maps.Keys(s.Values[key]))[0]
		sample, ok = [2]any{value, s.ours(key, value)}, true
	}
	if !ok {
		sample = [2]any{"x-17", "x-17"}
	}
	attributes[key] = sample[0]
	return attributes, sample[1]
}

// ours returns the operation that comes out for a value, or nil.
func (s *stockSource) ours(key, value string) any {
	switch d := s.difference(key, value); {
	case d == nil:
		return s.Values[key][value]
	case d.Ours == "":
		return nil
	default:
		return d.Ours
	}
}

// Each row of the stock processor's tables is in the packs, but for the differences, which are what they say.
func TestStockTables(t *testing.T) {
	n := startNaming(t, "content: keep")
	for _, source := range readStock(t).Sources {
		t.Run(source.Name, func(t *testing.T) {
			for key, target := range source.Keys {
				in, want := source.input(key)
				if source.difference(key, "") != nil {
					want = nil
				}
				assert.Equal(t, want, n.span(t, source.Scope, in)[target], "%s to %s", key, target)
			}
			for key, values := range source.Values {
				for value := range values {
					in := maps.Clone(source.With)
					if in == nil {
						in = map[string]any{}
					}
					in[key] = strings.ToUpper(value)
					assert.Equal(t, source.ours(key, value), n.span(t, source.Scope, in)[operation], "%s: %s", key, value)
				}
			}
			for _, d := range source.Differences {
				assert.NotEmpty(t, d.Reason, "%s %s", d.Key, d.Value)
				assert.Contains(t, source.Keys, d.Key)
			}
		})
	}
}

// naming is a naming processor with the built-in packs.
type naming struct {
	processor.Traces
	sink *consumertest.TracesSink
}

// startNaming starts a naming processor with settings of the conventions extension.
func startNaming(t *testing.T, settings string) *naming {
	t.Helper()
	host, err := pipetest.NewHost(t.Context(), []byte(settings))
	require.NoError(t, err)
	factory, sink := namingprocessor.NewFactory(), new(consumertest.TracesSink)
	traces, err := factory.CreateTraces(t.Context(), processortest.NewNopSettings(factory.Type()), factory.CreateDefaultConfig(), sink)
	require.NoError(t, err)
	require.NoError(t, traces.Start(t.Context(), host))
	t.Cleanup(func() { require.NoError(t, traces.Shutdown(t.Context())) })
	return &naming{traces, sink}
}

// span returns the attributes with which a span of nobody's service comes out.
func (n *naming) span(t *testing.T, scope string, attributes map[string]any) map[string]any {
	t.Helper()
	td := ptrace.NewTraces()
	rs := td.ResourceSpans().AppendEmpty()
	rs.Resource().Attributes().PutStr("service.name", "assistant")
	ss := rs.ScopeSpans().AppendEmpty()
	ss.Scope().SetName(scope)
	span := ss.Spans().AppendEmpty()
	span.SetName("call")
	require.NoError(t, span.Attributes().FromRaw(attributes))
	n.sink.Reset()
	require.NoError(t, n.ConsumeTraces(t.Context(), td))
	out := n.sink.AllTraces()
	require.Len(t, out, 1)
	return out[0].ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(0).Attributes().AsRaw()
}
