// SPDX-License-Identifier: Apache-2.0

package spanlinkprocessor

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.yaml.in/yaml/v3"

	"github.com/otelcol-tc/otelcol-tc/configs"
)

// hop is a span of a request that several processes handle. Each is a trace of its own, and lasts for a second.
type hop struct {
	name, key string
	value     any
	namespace string
	at        time.Duration
}

const room = "0x7f3a"

// TestEngineRequests checks which spans of a request the packs of engines link.
func TestEngineRequests(t *testing.T) {
	const id, rid = "4f1c1a52-9d0e-4b1f-8a53-7d0c6c9f2e11", "gen_ai.request.id"
	header := []any{id}
	for what, c := range map[string]struct {
		first, second hop
		fragment      bool
		want          int
	}{
		"vLLM's halves":           {hop{"llm_request", rid, "chatcmpl-" + id, "a", 0}, hop{"llm_request", rid, "chatcmpl-" + id, "a", time.Second}, false, 1},
		"of another namespace":    {hop{"llm_request", rid, "chatcmpl-" + id, "a", 0}, hop{"llm_request", rid, "chatcmpl-" + id, "b", time.Second}, false, 0},
		"of two prompts":          {hop{"llm_request", rid, "cmpl-" + id + "-0", "a", 0}, hop{"llm_request", rid, "cmpl-" + id + "-1", "a", time.Second}, false, 0},
		"SGLang's halves":         {hop{"prefill Req 1f0e2a9c", "bootstrap_room", room, "a", 0}, hop{"decode Req 77aa01bc", "bootstrap_room", room, "a", time.Second}, false, 1},
		"with conformant names":   {hop{"SGLang/Request", "bootstrap_room", room, "a", 0}, hop{"SGLang/Request", "bootstrap_room", room, "a", time.Second}, false, 1},
		"of another room":         {hop{"prefill Req 1f0e2a9c", "bootstrap_room", room, "a", 0}, hop{"decode Req 77aa01bc", "bootstrap_room", "0x7f3b", "a", time.Second}, false, 0},
		"a gateway":               {hop{"POST", "http.request.header.x-request-id", header, "a", 0}, hop{"llm_request", rid, "chatcmpl-" + id, "a", 100 * time.Millisecond}, false, 1},
		"Envoy":                   {hop{"ingress", "guid:x-request-id", id, "a", 0}, hop{"llm_request", rid, "chatcmpl-" + id, "a", 100 * time.Millisecond}, false, 1},
		"that had ended":          {hop{"ingress", "guid:x-request-id", id, "a", 0}, hop{"llm_request", rid, "chatcmpl-" + id, "a", 5 * time.Second}, false, 0},
		"of its own namespace":    {hop{"ingress", "guid:x-request-id", id, "gateways", 0}, hop{"llm_request", rid, "chatcmpl-" + id, "a", 100 * time.Millisecond}, false, 0},
		"if it is asked for":      {hop{"ingress", "guid:x-request-id", id, "gateways", 0}, hop{"llm_request", rid, "chatcmpl-" + id, "a", 100 * time.Millisecond}, true, 1},
		"with numbers of clients": {hop{"ingress", "guid:x-request-id", "job-1", "a", 0}, hop{"llm_request", rid, "chatcmpl-job-2", "a", 100 * time.Millisecond}, false, 0},
	} {
		t.Run(what, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, engineSettings(t, c.fragment))
				defer r.stop(t)
				for i, h := range []hop{c.first, c.second} {
					require.NoError(t, r.ConsumeTraces(t.Context(), h.traces(t, uint64(i+1))))
				}
				time.Sleep(time.Minute)
				links := 0
				for _, span := range r.sink.take() {
					links += span.Links().Len()
				}
				assert.Equal(t, c.want, links)
			})
		})
	}
}

func engineSettings(t *testing.T, fragment bool) rigSettings {
	t.Helper()
	set := map[string]any{}
	if fragment {
		text, err := configs.FS.ReadFile("fragments/request-links.yaml")
		require.NoError(t, err)
		var rules []any
		require.NoError(t, yaml.Unmarshal(text, &rules))
		set["rules"] = rules
	}
	settings, err := yaml.Marshal(set)
	require.NoError(t, err)
	return rigSettings{processor: string(settings)}
}

func (h hop) traces(t *testing.T, n uint64) ptrace.Traces {
	t.Helper()
	td := ptrace.NewTraces()
	rs := td.ResourceSpans().AppendEmpty()
	rs.Resource().Attributes().PutStr("k8s.namespace.name", h.namespace)
	span := rs.ScopeSpans().AppendEmpty().Spans().AppendEmpty()
	span.SetName(h.name)
	span.SetTraceID(traceOf(n))
	span.SetSpanID(spanOf(n))
	span.SetKind(ptrace.SpanKindServer)
	span.SetStartTimestamp(pcommon.NewTimestampFromTime(start.Add(h.at)))
	span.SetEndTimestamp(pcommon.NewTimestampFromTime(start.Add(h.at + time.Second)))
	require.NoError(t, span.Attributes().FromRaw(map[string]any{h.key: h.value, "module": "sglang::request"}))
	return td
}
