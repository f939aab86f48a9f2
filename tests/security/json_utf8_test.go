// SPDX-License-Identifier: Apache-2.0

package security

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"google.golang.org/grpc/codes"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

// JSON that is not UTF-8 is the client's fault. In protobuf such a text passes, as with the stock
// receiver.
func TestJSONThatIsNotUTF8IsRefused(t *testing.T) {
	f := func(name string, configs ...string) {
		t.Run(name, func(t *testing.T) {
			c := collectortest.Start(t, collectortest.Options{Configs: configs})
			for _, text := range []string{"\xff", "\xe2\x82", "\xed\xa0\x80"} {
				inJSON := `{"resourceSpans":[{"scopeSpans":[{"spans":[{"name":"` + text + `"}]}]}]}`
				assert.Equal(t, collectortest.Refused, postJSON(t, c, []byte(inJSON)), "%q", text)
				body := collectortest.OneSpan(t, func(span ptrace.Span) { span.SetName(text) })
				assert.Equal(t, collectortest.Accepted, collectortest.Post(t, c, "/v1/traces", body, ""), "%q", text)
				assert.Equal(t, codes.OK, collectortest.DialRaw(t, c).ExportRaw(t, body), "%q", text)
			}
			assert.Equal(t, 3.0, refusedOnWire(t, c, "utf8", "http"))
			assert.Equal(t, collectortest.Accepted, postJSON(t, c, []byte(`{"resourceSpans":[{"scopeSpans":[{"spans":[{"name":"Größe €😀"}]}]}]}`)))
			assert.Zero(t, c.Stop(t).Code)
		})
	}
	f("agent", "builtin:agent", "builtin:fragments/agent-host")
	f("gateway", "builtin:gateway")
}
