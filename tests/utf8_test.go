package tests

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"google.golang.org/grpc/codes"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

// Texts that are not UTF-8 are the client's fault, over both protocols and in both encodings.
func TestTextsThatAreNotUTF8AreRefused(t *testing.T) {
	f := func(name string, configs ...string) {
		t.Run(name, func(t *testing.T) {
			c := collectortest.Start(t, collectortest.Options{Configs: configs})
			for _, text := range []string{"\xff", "\xe2\x82", "\xed\xa0\x80"} {
				inJSON := `{"resourceSpans":[{"scopeSpans":[{"spans":[{"name":"` + text + `"}]}]}]}`
				body := oneSpan(t, func(span ptrace.Span) { span.SetName(text) })
				assert.Equal(t, refused, postJSON(t, c, []byte(inJSON)), "%q", text)
				assert.Equal(t, refused, post(t, c, "/v1/traces", body, ""), "%q", text)
				assert.Equal(t, codes.InvalidArgument, dialRaw(t, c).exportRaw(t, body), "%q", text)
			}
			assert.Equal(t, 6.0, refusedOnWire(t, c, "utf8", "http"))
			assert.Equal(t, 3.0, refusedOnWire(t, c, "utf8", "grpc"))
			body := oneSpan(t, func(span ptrace.Span) { span.SetName("Größe €😀") })
			assert.Equal(t, accepted, post(t, c, "/v1/traces", body, ""))
			assert.Equal(t, codes.OK, dialRaw(t, c).exportRaw(t, body))
			assert.Zero(t, c.Stop(t).Code)
		})
	}
	f("agent", "builtin:agent", "builtin:fragments/agent-host")
	f("gateway", "builtin:gateway")
}
