// SPDX-License-Identifier: Apache-2.0

package datapoints

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"
)

// A copy of the identity has all of a metric but its points.
func TestCopyIdentity(t *testing.T) {
	for _, fill := range onePoint {
		from, to := pmetric.NewMetric(), pmetric.NewMetric()
		fill(from)
		from.SetName("name")
		from.SetDescription("description")
		from.SetUnit("unit")
		from.Metadata().PutStr("key", "value")
		CopyIdentity(from, to)
		RemoveIf(from, func(pcommon.Map) bool { return true })
		assert.Equal(t, document(t, from), document(t, to))
	}
}

// document returns a metric as OTLP in JSON.
func document(t *testing.T, m pmetric.Metric) string {
	t.Helper()
	md := pmetric.NewMetrics()
	m.CopyTo(md.ResourceMetrics().AppendEmpty().ScopeMetrics().AppendEmpty().Metrics().AppendEmpty())
	text, err := (&pmetric.JSONMarshaler{}).MarshalMetrics(md)
	require.NoError(t, err)
	return string(text)
}

func TestCount(t *testing.T) {
	for _, fill := range onePoint {
		md := pmetric.NewMetrics()
		sm := md.ResourceMetrics().AppendEmpty().ScopeMetrics().AppendEmpty()
		m := sm.Metrics().AppendEmpty()
		fill(m)
		assert.Equal(t, count(m), Count(m), m.Type())
		fill(sm.Metrics().AppendEmpty())
		assert.Equal(t, md.DataPointCount(), CountIn(sm), m.Type())
	}
}
