// SPDX-License-Identifier: Apache-2.0

package correlation

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-tc/otelcol-tc/conventions/linking"
)

func TestKeysTellPartsApart(t *testing.T) {
	var w Writer
	key := func(rule string, parts ...string) Key {
		w.Begin(rule)
		for _, part := range parts {
			w.Add(part)
		}
		return w.Key()
	}
	want := key("rule", "a", "bc")
	assert.Equal(t, want, key("rule", "a", "bc"))
	for name, other := range map[string]Key{
		"where a part ends": key("rule", "ab", "c"),
		"an empty part":     key("rule", "a", "bc", ""),
		"the rule":          key("rul", "ea", "bc"),
		"a trace":           w.KeyOfTrace(pcommon.TraceID{15: 1}),
	} {
		assert.NotEqual(t, want, other, name)
	}
	assert.Equal(t, w.KeyOfTrace(pcommon.TraceID{0: 9, 15: 1}), w.KeyOfTrace(pcommon.TraceID{15: 1}))
}

func keyOf(t *testing.T, raw any, n linking.Normalise) (Key, bool) {
	t.Helper()
	value := pcommon.NewValueEmpty()
	assert.NoError(t, value.FromRaw(raw))
	var w Writer
	w.Begin("rule")
	ok := w.AddValue(value, &n)
	return w.Key(), ok
}

func TestNullValues(t *testing.T) {
	for _, raw := range []any{
		nil, "", " ", "0", "0x0", "0X00", "-", "none", "None", "NULL", "unknown", "nil", "n/a", "[redacted]", "[REDACTED]", "****", 0, 0.0,
		"00000000-0000-0000-0000-000000000000", "0000", "--", map[string]any{"a": 1}, []any{"a"}, true, []byte{}, make([]byte, 16), math.NaN(), math.Copysign(0, -1),
	} {
		for _, n := range []linking.Normalise{{}, {Integer: true}} {
			_, ok := keyOf(t, raw, n)
			assert.False(t, ok, "%#v", raw)
		}
	}
	// What a prefix leaves counts.
	_, ok := keyOf(t, "cmpl-", linking.Normalise{Prefixes: []string{"cmpl-"}})
	assert.False(t, ok)
	for _, raw := range []any{"1", "a", "0x1", "0a", "zero", 1, -1, 0.5, "00000000-0000-0000-0000-000000000001", []byte("k")} {
		_, ok := keyOf(t, raw, linking.Normalise{})
		assert.True(t, ok, "%#v", raw)
	}
}

func TestValuesAlike(t *testing.T) {
	alike := func(n linking.Normalise, all ...any) {
		t.Helper()
		want, ok := keyOf(t, all[0], n)
		assert.True(t, ok)
		for _, raw := range all[1:] {
			got, _ := keyOf(t, raw, n)
			assert.Equal(t, want, got, "%#v and %#v", all[0], raw)
		}
	}
	differ := func(n linking.Normalise, all ...any) {
		t.Helper()
		seen := map[Key]any{}
		for _, raw := range all {
			key, _ := keyOf(t, raw, n)
			assert.NotContains(t, seen, key, "%#v", raw)
			seen[key] = raw
		}
	}
	integer := linking.Normalise{Integer: true}
	alike(integer, "0x7", 7, "7", "007", "0X7", " 7 ", 7.0)
	alike(integer, "0xFFFFFFFFFFFFFFFF", "18446744073709551615")
	differ(integer, 7, 8, "0x17", "seven", "-7", "0x", "0x10000000000000000", "7.5")
	alike(linking.Normalise{}, 7, "7", 7.0, " 7")
	differ(linking.Normalise{}, "7", "0x7", "07", 7.5)

	rid := linking.Normalise{Prefixes: []string{"chatcmpl-", "cmpl-"}, NumberedSuffixes: []string{"_", "::n::"}}
	alike(rid, "4b3e-9d1", "cmpl-4b3e-9d1", "chatcmpl-4b3e-9d1", "4b3e-9d1_0", "cmpl-4b3e-9d1::n::12", "4b3e-9d1_3::n::0")
	differ(rid, "a", "a_", "a_b", "a::n::", "cmpl-cmpl-a", "_1a")
}
