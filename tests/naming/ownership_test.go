// SPDX-License-Identifier: Apache-2.0

package naming

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
	"github.com/otelcol-tc/otelcol-tc/tests/payload"
)

// keepTills keeps the names of a system, but for one that it renames.
const keepTills = `
system: tills
owns: {resource: {service.name: [tills]}}
names: keep
metrics: {rename: {http.server.request.duration: tc_tills_duration}}
`

// outcome are the names of a service as they come out, and whether its schema URL is still there.
type outcome struct {
	metrics, spans []string
	schema         bool
}

// TestOwnership checks that names change only where a pack owns them or the policy says so, and that schema
// URLs stay true.
func TestOwnership(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	pack, overlay := filepath.Join(dir, "tills.yaml"), filepath.Join(dir, "overlay.yaml")
	require.NoError(t, os.WriteFile(pack, []byte(keepTills), 0o600))
	require.NoError(t, os.WriteFile(overlay, fmt.Appendf(nil, `
extensions: {conventions: {packs: [%s, builtin], services: {adopted*: {unowned: repair}}}}
service: {extensions: [health_check, wire_limits, correlation_index, conventions]}
`, pack), 0o600))
	c := collectortest.Start(t, collectortest.Options{Configs: []string{"builtin:dev", overlay}})

	metrics := []string{"SHOP_QUEUE_LEN", "http.server.request.duration"}
	spans := []string{"charge card", "chat gpt-4o"}
	want := map[string]outcome{
		"bystander": {metrics, spans, true},
		"tills":     {[]string{"SHOP_QUEUE_LEN", "tc_tills_duration"}, spans, false},
		"adopted-1": {[]string{"tc_shop_queue_len", "http.server.request.duration"}, []string{"Adopted1/ChargeCard", "chat gpt-4o"}, true},
		"tuft":      {[]string{"tc_shop_queue_len", "http.server.request.duration"}, []string{"Tuft/ChargeCard", "chat gpt-4o"}, true},
	}
	for service := range want {
		sent := payload.Read(t, "testdata/names", time.Now())
		sent.Traces.ResourceSpans().At(0).Resource().Attributes().PutStr("service.name", service)
		sent.Metrics.ResourceMetrics().At(0).Resource().Attributes().PutStr("service.name", service)
		sent.Post(t, c)
	}

	got := map[string]outcome{}
	for _, rs := range collectortest.AwaitSpans(t, c, 2*len(want)).ResourceSpans().All() {
		service, _ := rs.Resource().Attributes().Get("service.name")
		o := got[service.Str()]
		for _, span := range rs.ScopeSpans().At(0).Spans().All() {
			o.spans = append(o.spans, span.Name())
		}
		got[service.Str()] = o
	}
	require.Eventually(t, func() bool { return c.Metrics(t).MetricCount() >= 2*len(want) }, collectortest.ArrivalTimeout, 100*time.Millisecond)
	for _, rm := range c.Metrics(t).ResourceMetrics().All() {
		service, _ := rm.Resource().Attributes().Get("service.name")
		o, ok := got[service.Str()]
		if !ok {
			continue
		}
		o.schema = rm.ScopeMetrics().At(0).SchemaUrl() == schemaURL
		for _, m := range rm.ScopeMetrics().At(0).Metrics().All() {
			o.metrics = append(o.metrics, m.Name())
		}
		got[service.Str()] = o
	}
	assert.Equal(t, want, got)
}

const schemaURL = "https://opentelemetry.io/schemas/1.38.0"
