// SPDX-License-Identifier: Apache-2.0

package conventions

import (
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
