// SPDX-License-Identifier: Apache-2.0

package namingprocessor

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
)

// veryLong is far longer than a name may be.
var veryLong = strings.Repeat("longName.", 30_000)

// longMap fills a map with keys that are too long, at the top level and nested.
func longMap(m pcommon.Map) {
	m.PutStr(veryLong, "value")
	m.PutStr("tc."+veryLong, "value")
	m.PutStr(veryLong+"password", "geheim")
	nested := m.PutEmptyMap("nested")
	nested.PutStr(veryLong, "value")
	nested.PutStr(naming.Shorten(veryLong), "was here already")
	nested.PutEmptySlice(veryLong+"x").AppendEmpty().SetEmptyMap().PutInt(veryLong, 1)
}

func longScope(scope pcommon.InstrumentationScope) {
	scope.SetName(veryLong)
	scope.SetVersion(veryLong)
	longMap(scope.Attributes())
}

// longest is the largest result that the tests accept: a few maps with short keys.
const longest = 64 << 10

// requireShort returns what comes out of a batch. It checks that no very long name is left, and checks the counts.
func (k kind[D]) requireShort(t *testing.T, cfg *Config, batch D) D {
	t.Helper()
	once, counted := k.consume(t, repairing(t), cfg, batch)
	text, result := k.text(t, once), k.copy(t, once)
	assert.Less(t, len(text), longest)
	assert.NotContains(t, text, "geheim")
	assert.Positive(t, counted["changes"]["name_length none "])
	assert.Positive(t, counted["changes"]["attribute_collision none "])
	assert.Zero(t, counted["conformant_items"][""])
	twice, again := k.consume(t, repairing(t), cfg, once)
	assert.Equal(t, text, k.text(t, twice), "a second time")
	assert.Empty(t, again["changes"])
	return result
}

// copy returns a copy of a batch.
func (k kind[D]) copy(t *testing.T, batch D) D {
	t.Helper()
	copied, err := k.unmarshal([]byte(k.text(t, batch)))
	require.NoError(t, err)
	return copied
}

func TestLongNamesOfMetrics(t *testing.T) {
	md := pmetric.NewMetrics()
	rm := md.ResourceMetrics().AppendEmpty()
	rm.SetSchemaUrl(veryLong)
	rm.Resource().Attributes().PutStr("service.name", veryLong)
	longMap(rm.Resource().Attributes())
	sm := rm.ScopeMetrics().AppendEmpty()
	sm.SetSchemaUrl(veryLong)
	longScope(sm.Scope())
	for _, name := range []string{veryLong, veryLong, "tc_" + veryLong, "http." + veryLong, strings.Repeat("aB", 120)} {
		m := sm.Metrics().AppendEmpty()
		m.SetName(name)
		m.SetUnit(veryLong)
		m.SetDescription(veryLong)
		m.Metadata().PutStr(veryLong, veryLong)
		point := m.SetEmptyGauge().DataPoints().AppendEmpty()
		longMap(point.Attributes())
		longMap(point.Exemplars().AppendEmpty().FilteredAttributes())
	}
	cfg := defaultConfig()
	cfg.MaxValueBytes = 100
	metrics := pointKind.requireShort(t, cfg, md).ResourceMetrics().At(0).ScopeMetrics().At(0).Metrics()
	require.Equal(t, 4, metrics.Len(), "two metrics of one name are merged")
	assert.Equal(t, 2, metrics.At(0).Gauge().DataPoints().Len())
	names := map[string]bool{}
	for _, m := range metrics.All() {
		names[m.Name()] = true
		original, ok := m.Metadata().Get(naming.OriginalNameKey)
		require.True(t, ok)
		assert.NotEmpty(t, original.Str())
	}
	assert.Len(t, names, 4)
}

func TestLongNamesOfSpans(t *testing.T) {
	td := ptrace.NewTraces()
	rs := td.ResourceSpans().AppendEmpty()
	rs.SetSchemaUrl(veryLong)
	longMap(rs.Resource().Attributes())
	ss := rs.ScopeSpans().AppendEmpty()
	longScope(ss.Scope())
	for _, name := range []string{veryLong, "GET /" + veryLong, "A/" + strings.Repeat("B", 1000), "A/" + strings.Repeat("B", 1001)} {
		span := ss.Spans().AppendEmpty()
		span.SetName(name)
		longMap(span.Attributes())
		event := span.Events().AppendEmpty()
		event.SetName(veryLong)
		longMap(event.Attributes())
		longMap(span.Links().AppendEmpty().Attributes())
	}
	cfg := defaultConfig()
	cfg.MaxValueBytes = 0 // the replaced name is shortened nevertheless
	names := map[string]bool{}
	for _, span := range spanKind.requireShort(t, cfg, td).ResourceSpans().At(0).ScopeSpans().At(0).Spans().All() {
		names[span.Name()] = true
	}
	assert.Len(t, names, 4)
}

func TestLongNamesOfLogs(t *testing.T) {
	ld := plog.NewLogs()
	rl := ld.ResourceLogs().AppendEmpty()
	longMap(rl.Resource().Attributes())
	sl := rl.ScopeLogs().AppendEmpty()
	longScope(sl.Scope())
	record := sl.LogRecords().AppendEmpty()
	record.SetEventName(veryLong)
	record.SetSeverityText(veryLong)
	longMap(record.Attributes())
	longMap(record.Body().SetEmptyMap())
	recordKind.requireShort(t, defaultConfig(), ld)
}

// TestLongKeysThatBecomeOne checks that the attribute with the short key keeps it, and that the one with
// the long key is removed.
func TestLongKeysThatBecomeOne(t *testing.T) {
	td := ptrace.NewTraces()
	span := td.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans().AppendEmpty()
	span.SetName("A/B")
	span.Attributes().PutStr(veryLong, "too long")
	span.Attributes().PutStr(naming.Shorten(veryLong), "short")
	for range 3 {
		span.CopyTo(td.ResourceSpans().At(0).ScopeSpans().At(0).Spans().AppendEmpty())
	}
	out, counted := consumeTraces(t, defaultConfig(), td)
	for _, span := range out.ResourceSpans().At(0).ScopeSpans().At(0).Spans().All() {
		assert.Equal(t, map[string]any{naming.Shorten(veryLong): "short"}, span.Attributes().AsRaw())
	}
	assert.Equal(t, int64(4), counted["changes"]["attribute_collision none "])
}
