// SPDX-License-Identifier: Apache-2.0

package conventions

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The forms of dates and of copies.
func TestAlso(t *testing.T) {
	pack, err := Parse("mine.yaml", []byte(`
system: shop
owns: {all: true}
metrics:
  rename:
    orders: tc_orders
  also:
    - {match: '^shop_wait$', name: gen_ai.wait, attributes: {model: gen_ai.request.model}, set: {kind: a}, unit: ms, convert: s, until: 2027-05-31}
    - {match: '^shop_rest$', name: rest, until: "2027-06-30"}
    - {match: '^shop_sold$', name: sold, where: {how: cash}, set: {kind: a}}
    - {match: '^shop_sold$', name: sold, where: {how: card}, set: {kind: b}}
    - {match: '^shop_sold$', name: sold, set: {kind: c}}
`))
	require.NoError(t, err)
	day := func(month time.Month, day int) time.Time { return time.Date(2027, month, day, 0, 0, 0, 0, time.UTC) }
	assert.Equal(t, map[string]string{"orders": "tc_orders"}, pack.Metrics.Rename)
	assert.Equal(t, day(5, 31), pack.Metrics.Also[0].Until.Time)
	assert.Equal(t, day(6, 30), pack.Metrics.Also[1].Until.Time)
	assert.Equal(t, map[string]string{"how": "cash"}, pack.Metrics.Also[2].Where)
	assert.Equal(t, map[string]string{"model": "gen_ai.request.model"}, pack.Metrics.Also[0].Attributes)
}

// Each error names the line, the key, the rule and the value.
func TestAlsoErrors(t *testing.T) {
	for text, want := range map[string]string{
		"rename:\n    a: [tc_a]":                                              ":5: pack.metrics.rename.a: got array, want string",
		"also:\n    - {match: a, name: b, until: soon}":                       `:5: pack.metrics.also.0.until: 'soon' is not valid date: must be YYYY-MM-DD (got "soon")`,
		"also:\n    - {match: a, name: b, until: 2027-02-29}":                 "must be YYYY-MM-DD",
		"also:\n    - {match: a, name: b, until: 20270301}":                   "got number, want string",
		"also:\n    - {match: a}":                                             "missing property 'name'",
		"also:\n    - {match: a, name: 'b c'}":                                "'b c' does not match pattern",
		"also:\n    - {match: a, name: b, attributes: {x: ''}}":               "does not match pattern",
		"also:\n    - {match: a, name: b, set: {x: 1}}":                       "got number, want string",
		"also:\n    - {match: first, name: time.to.first}":                    `:5: metrics.also.0.match: the pattern also finds the copy's name "time.to.first" (got "first")`,
		"also:\n    - {match: a, name: b}\n    - {match: a, name: b}":         `:6: metrics.also.1.match: metrics.also.0 decides all that it matches (got "a")`,
		"also:\n    - {match: a, name: b, where: {x: 1}}":                     "got number, want string",
		"also:\n    - {match: a, name: b, where: {x: ''}}":                    "minLength: got 0, want 1",
		"also:\n    - {match: a, name: b, where: {x: v}, attributes: {x: y}}": `metrics.also.0.where.x: the copies do not have it, so it cannot become "y"`,
		"also:\n    - {match: a, name: b, where: {tc.mode: v}}":               `metrics.also.0.where.tc.mode: attributes.1 leaves no point with this value (got "v")`,
		"also:\n    - {match: a, name: b, where: {old_mode: v}}":              `metrics.also.0.where.old_mode: attributes.1 leaves no point with this value (got "v")`,
		"also:\n    - {match: a, name: b, where: {rank: \"1\"}}":              `metrics.also.0.where.rank: attributes.3 leaves no point with this value (got "1")`,
		"also:\n    - {match: a, name: b, where: {x: v}, set: {k: '1'}}\n    - {match: a, name: b, where: {x: v, y: w}, set: {k: '2'}}": `:6: metrics.also.1.match: metrics.also.0 decides all that it matches (got "a")`,
		"also:\n    - {match: a, name: b, where: {x: v}, set: {k: '1'}}\n    - {match: a, name: B, where: {x: w}, set: {l: '2'}}":       `:6: metrics.also.1.name: needs another value of set than metrics.also.0, which copies other points to this name (got "B")`,
		"also:\n    - {match: a, name: b, where: {x: v}}\n    - {match: a, name: b}":                                                    `:6: metrics.also.1.name: needs another value of set than metrics.also.0, which copies other points to this name (got "b")`,
		"also:\n    - {match: a, name: b, unit: s, convert: By}":                                                                        "metrics.also.0.convert: s cannot be converted to By",
		"also:\n    - {match: a, name: b, attributes: {x: z, y: z}}":                                                                    `metrics.also.0.attributes.y: "x" has the key "z" already`,
		"also:\n    - {match: a, name: b, attributes: {x: z}, set: {z: v}}":                                                             `metrics.also.0.set.z: "x" has this key already`,
		"also:\n    - {match: a, name: b, set: {TC.Kind: v}}":                                                                           `metrics.also.0.set.TC.Kind: must be lower_snake_case with dots (got "TC.Kind")`,
		"also:\n    - {match: a, name: b, attributes: {x: base_model}}":                                                                 `metrics.also.0.attributes.x: "base_model" is itself renamed, to "tc.base_model"`,
	} {
		_, err := Parse("mine.yaml", []byte("system: shop\nowns: {all: true}\nmetrics:\n  "+text+"\nattributes: "+
			"[{key: base_model, rename: tc.base_model}, {key: tc.mode, allowed: [x]}, {key: old_mode, rename: tc.mode}, {key: rank, type: int}]\n"))
		assert.ErrorContains(t, err, want, text)
	}
}
