// SPDX-License-Identifier: Apache-2.0

package chatmessages

import (
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.yaml.in/yaml/v3"

	"github.com/otelcol-tc/otelcol-tc/conventions"
)

func listOf(t *testing.T, form conventions.MessageForm, fields ...any) *List {
	t.Helper()
	list := new(List)
	for i := 0; i < len(fields); i += 2 {
		value := pcommon.NewValueEmpty()
		require.NoError(t, value.FromRaw(fields[i+1]))
		assert.True(t, list.Add(form, fields[i].(string), value), fields[i])
	}
	return list
}

func TestJSON(t *testing.T) {
	text, err := os.ReadFile("testdata/lists.yaml")
	require.NoError(t, err)
	var lists []struct {
		Name   string
		Form   conventions.MessageForm
		Fields []any
		Want   string
	}
	require.NoError(t, yaml.Unmarshal(text, &lists))
	for _, test := range lists {
		text, ok := listOf(t, test.Form, test.Fields...).JSON()
		assert.True(t, ok, test.Name)
		assert.Equal(t, test.Want, text, test.Name)
	}
}

// What the forms do not have makes no messages.
func TestUnknownFields(t *testing.T) {
	for _, form := range []conventions.MessageForm{conventions.FormOpenInference, conventions.FormOpenLLMetry} {
		list := new(List)
		for _, key := range []string{
			"", "0", "0.", ".role", "x.role", "-1.role", "+1.role", "01.role", "00.message.role", "1e3.role", "9999999999.role", "0.message", "0.message.", "0.message.x",
			"0.message.tool_calls.0", "0.message.tool_calls.x.tool_call.id", "0.message.tool_calls.0.id", "0.message.contents.0.message_content", "0.tool_calls", "0.tool_calls.0.x",
			"0.tool_calls.01.id", "0.message.contents.0.message_content.image.url",
		} {
			assert.False(t, list.Add(form, key, pcommon.NewValueStr("x")), key)
		}
		assert.True(t, list.Empty())
	}
	assert.False(t, new(List).Add(conventions.FormOpenInference, "0.role", pcommon.NewValueStr("x")))
	assert.False(t, new(List).Add(conventions.FormOpenLLMetry, "0.message.role", pcommon.NewValueStr("x")))
}

func TestLimits(t *testing.T) {
	add := func(list *List, n int, key string) {
		for i := range n {
			list.Add(conventions.FormOpenLLMetry, strings.Replace(key, "N", strconv.Itoa(i*3), 1), pcommon.NewValueStr("x"))
		}
	}
	for _, test := range []struct {
		limit int
		key   string
	}{{MaxMessages, "N.content"}, {MaxParts, "0.tool_calls.N.id"}} {
		for extra := range 2 {
			list := new(List)
			add(list, test.limit+extra, test.key)
			_, ok := list.JSON()
			assert.Equal(t, extra == 0, ok, "%s: %d more", test.key, extra)
		}
	}
	list := new(List)
	list.Add(conventions.FormOpenLLMetry, "0.content", pcommon.NewValueStr(strings.Repeat("x", MaxBytes)))
	_, ok := list.JSON()
	assert.True(t, ok)
	list.Add(conventions.FormOpenLLMetry, "1.content", pcommon.NewValueStr("x"))
	_, ok = list.JSON()
	assert.False(t, ok)
}

// FuzzAdd checks that any keys and texts give a list of JSON, or none, whatever their order is.
func FuzzAdd(f *testing.F) {
	f.Add("0.role\x00user\x000.content\x00Hi\x00999999999.tool_calls.7.arguments\x00{\"a\":[1,2]}", false)
	f.Add("0.message.contents.3.message_content.image.image.url\x00data:;base64,\x000.message.tool_call_id\x00c\x000.message.role\x00user", true)
	f.Add("3.function_call.name\x00\xff\x001.tool_calls.0.function.arguments\x00[[[", false)
	f.Fuzz(func(t *testing.T, text string, openInference bool) {
		form := conventions.FormOpenLLMetry
		if openInference {
			form = conventions.FormOpenInference
		}
		fields := strings.Split(text, "\x00")
		forward, backward := new(List), new(List)
		seen := map[string]bool{}
		var order []int
		known := 0
		for i := 0; i+1 < len(fields); i += 2 {
			if seen[fields[i]] {
				continue // of two equal keys the first one counts
			}
			seen[fields[i]] = true
			order = append(order, i)
			if forward.Add(form, fields[i], pcommon.NewValueStr(fields[i+1])) {
				known++
			}
		}
		for j := len(order) - 1; j >= 0; j-- {
			backward.Add(form, fields[order[j]], pcommon.NewValueStr(fields[order[j]+1]))
		}
		assert.Equal(t, known == 0, forward.Empty())
		got, ok := forward.JSON()
		again, okAgain := backward.JSON()
		assert.Equal(t, ok, okAgain)
		if !ok {
			return
		}
		assert.Equal(t, got, again)
		var messages []struct {
			Role  *string          `json:"role"`
			Parts []map[string]any `json:"parts"`
		}
		decoder := json.NewDecoder(strings.NewReader(got))
		decoder.UseNumber() // 2e999 is JSON, and no float64
		require.NoError(t, decoder.Decode(&messages), got)
		assert.LessOrEqual(t, len(messages), MaxMessages)
		for _, m := range messages {
			assert.NotNil(t, m.Role)
			for _, part := range m.Parts {
				assert.NotEmpty(t, part["type"], fmt.Sprint(part))
			}
		}
	})
}
