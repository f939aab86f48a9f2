// SPDX-License-Identifier: Apache-2.0

package conventions

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAttributeCopies(t *testing.T) {
	pack, err := Parse("mine.yaml", []byte(`
system: mine
owns: {all: true}
attributes:
  - key: a
    also: {key: x.a, type: int}
  - key: b
    also: [{key: x.b, values: {LLM: chat, "*": "{}"}}, {key: x.c, type: "string[]", with: a}]
  - key: c
    also_fields:
      z: {key: x.z, type: double}
      a: [{key: x.z, type: double}, {key: x.y}]
messages: [{from: m, to: x.messages, form: openllmetry}]
`))
	require.NoError(t, err)
	assert.Equal(t, []AttributeRule{
		{Key: "a", Also: AttributeCopies{{Key: "x.a", Type: TypeInt}}},
		{Key: "b", Also: AttributeCopies{
			{Key: "x.b", Values: map[string]string{"LLM": "chat", OtherValues: SameValue}}, {Key: "x.c", Type: TypeStrings, With: "a"},
		}},
		{Key: "c", AlsoFields: FieldCopies{
			{"z", AttributeCopies{{Key: "x.z", Type: TypeDouble}}},
			{"a", AttributeCopies{{Key: "x.z", Type: TypeDouble}, {Key: "x.y"}}},
		}},
	}, pack.Attributes)
	assert.Equal(t, []MessageRule{{"m", "x.messages", FormOpenLLMetry}}, pack.Messages)
}

// Errors name the key, the rule and the value.
func TestAttributeCopyFaults(t *testing.T) {
	for _, test := range []struct{ rules, want string }{
		{`attributes: [{key: a, also: {key: a}}]`, `attributes.0.also.key: must be another key than that of the attribute (got "a")`},
		{`attributes: [{key: a, rename: b.c, also: {key: b.c}}]`, `attributes.0.also.key: must be another key than that of the attribute (got "b.c")`},
		{`attributes: [{key: a, also: [{key: b}, {key: b, type: int}]}]`, `attributes.0.also.1.key: an earlier copy of this value has the key (got "b")`},
		{`attributes: [{key: a, also: {key: b, with: a}}]`, `attributes.0.also.with: must be another key than that of the attribute (got "a")`},
		{`attributes: [{key: a, also: {key: b, with: b}}]`, `attributes.0.also.with: must be another key than that of the copy (got "b")`},
		{`attributes: [{key: a, also: {key: b}}, {key: b, also: {key: c}}]`, `attributes.0.also.key: attributes.1 copies it again (got "b")`},
		{`attributes: [{key: a, also: {key: b}}, {key: b, rename: c.d}]`, `attributes.0.also.key: "b" is itself renamed, to "c.d"`},
		{`attributes: [{key: a, also: {key: tc.b__c}}]`, `attributes.0.also.key: must be lower_snake_case with dots (got "tc.b__c")`},
		{`attributes: [{key: a, sensitive: remove, also: {key: b}}]`, `attributes.0.sensitive: the attribute is removed, so that nothing can be copied (got "remove")`},
		{`attributes: [{key: a, type: int, also_fields: {x: {key: b}}}]`, `attributes.0.also_fields: a value of the type int has no fields`},
		{`attributes: [{key: a, also_fields: {x: [{key: b}, {key: b}]}}]`, `attributes.0.also_fields.x.1.key: an earlier copy of this value has the key (got "b")`},
		{`attributes: [{key: a, also: {key: b, values: {LLM: x, llm: y}}}]`, `attributes.0.also.values.llm: differs from "LLM" only by case (got "llm")`},
		{`attributes: [{key: a, also: {key: B}}]`, `attributes.0.also.key: 'B' does not match pattern`},
		{`attributes: [{key: a, type: "string[]", also: {key: b}}]`, `attributes.0.type: value must be one of`},
		{`attributes: [{key: a, also: {key: b, tpye: int}}]`, `did you mean "type"?`},
		{`attributes: [{key: a, also: [{key: b, valeus: {a: b}}]}]`, `did you mean "values"?`},
		{`attributes: [{key: a, also: {type: int}}]`, `attributes.0.also: missing property 'key'`},
		{`messages: [{from: a, to: b, form: langchain}]`, `messages.0.form: value must be one of`},
		{`messages: [{from: a, to: a.b, form: openllmetry}]`, `messages.0.to: must not be a field of the messages of messages.0 (got "a.b")`},
		{`messages: [{from: a, to: b, form: openllmetry}, {from: a, to: b, form: openinference}]`, `messages.1.from: an earlier rule makes "b" of these messages (got "a")`},
		{"attributes: [{key: b, also: {key: c}}]\nmessages: [{from: a, to: b, form: openllmetry}]", `messages.0.to: attributes.0 copies it again (got "b")`},
	} {
		_, err := Parse("mine.yaml", []byte("system: mine\nowns: {all: true}\n"+test.rules))
		assert.ErrorContains(t, err, test.want, test.rules)
	}
}

func TestUnusedValues(t *testing.T) {
	problems := Problems([]byte(`system: mine
owns: {all: true}
attributes:
  - key: a
    allowed: [x, y]
    also: {key: b, values: {X: one, z: two, "*": three}}
`))
	require.Len(t, problems, 1)
	assert.True(t, problems[0].Warning)
	assert.True(t, strings.HasPrefix(problems[0].Text, `attributes.0.also.values.z: allowed does not list it`), problems[0].Text)
}
