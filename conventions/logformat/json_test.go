// SPDX-License-Identifier: Apache-2.0

package logformat

import (
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
)

// Values that are too deep or too large stay text, and records that are too large do not match:
// they would take stack memory, and time by the square of their size.
func TestJSONLimits(t *testing.T) {
	formats := builtin(t)
	const deep = 4000
	var e Entry
	put := func(line string) map[string]any {
		require.NotNil(t, formats.Match(line, nil, &e))
		m := pcommon.NewMap()
		for _, a := range e.Attributes {
			a.Put(m)
		}
		return m.AsRaw()
	}
	value := put(`{"msg":"x","a":` + strings.Repeat("[", deep) + strings.Repeat("]", deep) + "}")["a"]
	for range maxDepth {
		value = value.([]any)[0]
	}
	assert.Equal(t, strings.Repeat("[", deep-maxDepth)+strings.Repeat("]", deep-maxDepth), value)
	assert.Nil(t, formats.Match(`{"msg":"x","a":`+strings.Repeat("[", 1<<19)+strings.Repeat("]", 1<<19)+"}", nil, &e))

	keys := func(n int) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(`,"k` + strconv.Itoa(i) + `":1`)
		}
		return b.String()
	}
	assert.Len(t, put(`{"msg":"x"`+keys(maxKeys-1)+`}`), maxKeys-1)
	assert.Nil(t, formats.Match(`{"msg":"x"`+keys(maxKeys)+`}`, nil, &e))
	assert.Len(t, put(`{"msg":"x","a":{` + keys(maxKeys)[1:] + `}}`)["a"], maxKeys)
	assert.Nil(t, formats.Match("level=info"+strings.Repeat(" a=b", maxKeys), nil, &e), "logfmt")
	assert.Equal(t, "{"+keys(maxKeys + 1)[1:]+"}", put(`{"msg":"x","a":{` + keys(maxKeys + 1)[1:] + `}}`)["a"])
}

// No value is lost where a line has a key several times.
func TestRepeatedKeys(t *testing.T) {
	attributes := pcommon.NewMap()
	for _, a := range []Attribute{text("a", "1"), number("a", 2), {Key: "a", Kind: KindJSON, Text: `{"b":3}`}, text("c", "4"), text("c", "4"), text("d", "5")} {
		a.Put(attributes)
	}
	assert.Equal(t, map[string]any{"a": []any{"1", int64(2), map[string]any{"b": int64(3)}}, "c": "4", "d": "5"}, attributes.AsRaw())
}
