// SPDX-License-Identifier: Apache-2.0

package ray

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

// notedSpan is a span that the collector acknowledged: see tracing_hook.py.
type notedSpan struct {
	TraceID    string         `json:"trace_id"`
	SpanID     string         `json:"span_id"`
	Parent     string         `json:"parent_span_id"`
	Name       string         `json:"name"`
	Kind       string         `json:"kind"`
	Attributes map[string]any `json:"attributes"`
}

func notedSpans(t *testing.T, dir string) []notedSpan {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "spans", "*.jsonl"))
	require.NoError(t, err)
	var spans []notedSpan
	for _, file := range files {
		content, err := os.ReadFile(file)
		require.NoError(t, err)
		for line := range strings.Lines(string(content)) {
			var span notedSpan
			if json.Unmarshal([]byte(line), &span) == nil { // a killed worker may leave half a line
				spans = append(spans, span)
			}
		}
	}
	require.NotEmpty(t, spans)
	return spans
}

// checkSpans checks that all spans came out once, with their names, parents and attributes. The names of Serve's
// proxy lose the path.
func checkSpans(t *testing.T, sent []notedSpan, traces ptrace.Traces) {
	t.Helper()
	got := map[string]ptrace.Span{}
	for span := range collectortest.SpansOf(traces) {
		id := span.TraceID().String() + span.SpanID().String()
		assert.NotContains(t, got, id, span.Name())
		got[id] = span
	}
	names := map[string]int{}
	for _, s := range sent {
		span, ok := got[s.TraceID+s.SpanID]
		if !assert.True(t, ok, "no span %s %s", s.Name, s.SpanID) {
			continue
		}
		want := s.Name
		if strings.HasPrefix(want, "proxy_http_request ") {
			want = "Proxy/HttpRequest"
			path, _ := span.Attributes().Get("url.path")
			assert.Equal(t, s.Attributes["request_route_path"], path.AsString())
		}
		names[want]++
		assert.Equal(t, want, span.Name())
		assert.Equal(t, strings.ToLower(s.Kind), strings.ToLower(span.Kind().String()), s.Name)
		assert.Equal(t, s.Parent, span.ParentSpanID().String(), s.Name)
		for key := range s.Attributes {
			_, ok := span.Attributes().Get(key)
			assert.True(t, ok, "%s of %s", key, s.Name)
		}
	}
	for _, name := range []string{
		"Counter.add ray.remote", "Counter.add ray.remote_worker", "Counter.__init__ ray.remote_worker",
		"route_to_replica Orders __call__", "replica_handle_request Orders __call__", "Proxy/HttpRequest",
	} {
		assert.NotZero(t, names[name], name)
	}
	t.Logf("%d spans of %d names", len(sent), len(names))
}
