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
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
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
	td, md := ptrace.NewTraces(), pmetric.NewMetrics()
	for service := range want {
		addNames(td, md, service, spans, metrics)
	}
	collectortest.PostTraces(t, c, td)
	collectortest.PostMetrics(t, c, md)

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

// addNames adds spans and metrics of these names.
func addNames(td ptrace.Traces, md pmetric.Metrics, service string, spans, metrics []string) {
	rs := td.ResourceSpans().AppendEmpty()
	rs.Resource().Attributes().PutStr("service.name", service)
	ss := rs.ScopeSpans().AppendEmpty()
	for _, name := range spans {
		newSpan(ss.Spans(), name)
	}
	ss.Spans().At(1).Attributes().PutStr("gen_ai.operation.name", "chat")
	rm := md.ResourceMetrics().AppendEmpty()
	rm.Resource().Attributes().PutStr("service.name", service)
	sm := rm.ScopeMetrics().AppendEmpty()
	sm.SetSchemaUrl(schemaURL)
	for _, name := range metrics {
		m := sm.Metrics().AppendEmpty()
		m.SetName(name)
		point := m.SetEmptyGauge().DataPoints().AppendEmpty()
		point.SetTimestamp(pcommon.NewTimestampFromTime(time.Now()))
		point.SetIntValue(1)
	}
}

func newSpan(spans ptrace.SpanSlice, name string) {
	span := spans.AppendEmpty()
	span.SetName(name)
	span.SetTraceID(pcommon.TraceID{1})
	span.SetSpanID(pcommon.SpanID{1})
}
