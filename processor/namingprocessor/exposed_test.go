// SPDX-License-Identifier: Apache-2.0

package namingprocessor

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-tc/otelcol-tc/conventions/content"
)

// A pack that gives an attribute the key of content or of a credential says what its value is.
func TestRenamedContentIsProtected(t *testing.T) {
	pack := filepath.Join(t.TempDir(), "shop.yaml")
	require.NoError(t, os.WriteFile(pack, []byte(`system: shop
owns: {resource: {service.name: [shop]}}
attributes:
  - {key: my_question, rename: gen_ai.prompt}
  - {key: my_badge, rename: shop.password}
`), 0o600))
	host := hostWith(t, "packs: ["+pack+"]")
	put := func(attrs pcommon.Map) {
		attrs.PutStr("my_question", "S3CR3T")
		attrs.PutStr("my_badge", "S3CR3T")
	}
	want := map[string]any{"gen_ai.prompt": "[redacted]", "shop.password": "[redacted]"}
	withLength := map[string]any{"gen_ai.prompt": "[redacted]", "shop.password": "[redacted]", "tc.content.length.gen_ai.prompt": int64(6)}

	for range 2 { // the second time, the keys are known
		td := ptrace.NewTraces()
		rs := td.ResourceSpans().AppendEmpty()
		rs.Resource().Attributes().PutStr("service.name", "shop")
		span := rs.ScopeSpans().AppendEmpty().Spans().AppendEmpty()
		put(span.Attributes())
		put(span.Events().AppendEmpty().Attributes())
		put(span.Links().AppendEmpty().Attributes())
		spans, _ := consumeTracesAt(t, host, defaultConfig(), td)
		span = spans.ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(0)
		assert.Equal(t, withLength, span.Attributes().AsRaw())
		assert.Equal(t, withLength, span.Events().At(0).Attributes().AsRaw())
		assert.Equal(t, want, span.Links().At(0).Attributes().AsRaw())
	}

	ld := plog.NewLogs()
	rl := ld.ResourceLogs().AppendEmpty()
	rl.Resource().Attributes().PutStr("service.name", "shop")
	put(rl.ScopeLogs().AppendEmpty().LogRecords().AppendEmpty().Attributes())
	logs, _ := consumeLogsAt(t, host, defaultConfig(), ld)
	assert.Equal(t, withLength, logs.ResourceLogs().At(0).ScopeLogs().At(0).LogRecords().At(0).Attributes().AsRaw())

	md := pmetric.NewMetrics()
	rm := md.ResourceMetrics().AppendEmpty()
	rm.Resource().Attributes().PutStr("service.name", "shop")
	m := rm.ScopeMetrics().AppendEmpty().Metrics().AppendEmpty()
	m.SetName("tc_shop_questions")
	put(m.SetEmptyGauge().DataPoints().AppendEmpty().Attributes())
	metrics, _ := consumeMetricsAt(t, host, defaultConfig(), md)
	m = metrics[0].ResourceMetrics().At(0).ScopeMetrics().At(0).Metrics().At(0)
	attrs := m.Gauge().DataPoints().At(0).Attributes()
	assert.True(t, attrs.Remove(content.StreamKey))
	assert.Equal(t, want, attrs.AsRaw())
}
