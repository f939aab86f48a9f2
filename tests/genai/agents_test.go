// SPDX-License-Identifier: Apache-2.0

package genai

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/otelcol-tc/otelcol-tc/tests/clients"
	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

// TestFrameworks runs the agent of agent_calls.py in each framework. No text of anybody leaves, and what says
// which model, tool and how many tokens it was does.
func TestFrameworks(t *testing.T) {
	t.Parallel()
	c, api := everything(t), startAPI(t, secret)
	// What each framework's spans have, as they come out.
	frameworks := readAttributes(t, "testdata/frameworks.yaml")
	var want, got []string
	for framework := range frameworks {
		interpreter := python
		if framework == "llama-index" {
			interpreter = litellm // which needs the same older SDK
		}
		for _, span := range interpreter.Run(t, "agent_calls.py", append(clients.OverGRPC(c), "--framework", framework, "--api", api, "--secret", secret)...).Spans {
			want = append(want, span.SpanID)
		}
	}
	checkTexts(t, c)
	seen := map[string]map[string]map[any]bool{}
	for resource, span := range collectortest.SpansByResource(c.Traces(t)) {
		service := collectortest.ServiceName(resource)
		if seen[service] == nil {
			seen[service] = map[string]map[any]bool{}
		}
		got = append(got, span.SpanID().String())
		for key, value := range span.Attributes().AsRaw() {
			if _, ok := value.([]any); ok {
				continue
			}
			if seen[service][key] == nil {
				seen[service][key] = map[any]bool{}
			}
			seen[service][key][value] = true
		}
	}
	assert.ElementsMatch(t, want, got)
	for framework, attributes := range frameworks {
		for key, value := range attributes {
			assert.Contains(t, seen["weather-"+framework][key], value, "%s: %s", framework, key)
		}
	}
}
