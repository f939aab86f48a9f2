// SPDX-License-Identifier: Apache-2.0

package correlation

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/collector/pdata/pcommon"
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
