// SPDX-License-Identifier: Apache-2.0

package namingprocessor

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-tc/otelcol-tc/conventions/content"
	"github.com/otelcol-tc/otelcol-tc/tests/pipetest"
)

func TestGolden(t *testing.T) {
	pipetest.Run(t, NewFactory(), "testdata")
}

// TestRenamedContentOfMetrics is the golden case renamed_content for metrics, whose points have a random hash in place of
// the content.
func TestRenamedContentOfMetrics(t *testing.T) {
	md := pmetric.NewMetrics()
	rm := md.ResourceMetrics().AppendEmpty()
	rm.Resource().Attributes().PutStr("service.name", "shop")
	m := rm.ScopeMetrics().AppendEmpty().Metrics().AppendEmpty()
	m.SetName("tc_shop_questions")
	attrs := m.SetEmptyGauge().DataPoints().AppendEmpty().Attributes()
	attrs.PutStr("my_question", "S3CR3T")
	attrs.PutStr("my_badge", "S3CR3T")
	metrics, _ := consumeMetricsAt(t, hostWith(t, "packs: [testdata/renamed_content/shop.yaml]"), defaultConfig(), md)
	m = metrics[0].ResourceMetrics().At(0).ScopeMetrics().At(0).Metrics().At(0)
	attrs = m.Gauge().DataPoints().At(0).Attributes()
	assert.True(t, attrs.Remove(content.StreamKey))
	assert.Equal(t, map[string]any{"gen_ai.prompt": "[redacted]", "shop.password": "[redacted]"}, attrs.AsRaw())
}
