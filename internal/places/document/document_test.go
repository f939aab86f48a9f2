// SPDX-License-Identifier: Apache-2.0

package document

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// strings returns all strings below a node whose text has a part.
func having(n *Node, part string) (all []*Node) {
	if n.Kind == Text && strings.Contains(n.Text, part) {
		all = append(all, n)
	}
	for _, item := range n.Items {
		all = append(all, having(item, part)...)
	}
	return all
}

// rewrite replaces old by (new "x") in each string.
func rewrite(t *testing.T, text string) (string, []int) {
	t.Helper()
	roots, err := Read(text)
	require.NoError(t, err)
	var edits []Edit
	var lines []int
	for _, root := range roots {
		for _, node := range having(root, "old") {
			if node.Kind == Text && strings.HasPrefix(node.Text, "{") && strings.Contains(node.Text, `"inner"`) {
				inner, err := node.Embedded()
				require.NoError(t, err)
				node = inner[0].Get("inner")
			}
			var wanted []Edit
			for at := 0; ; {
				i := strings.Index(node.Text[at:], "old")
				if i < 0 {
					break
				}
				at += i
				wanted = append(wanted, Edit{Start: at, End: at, Text: "("}, Edit{Start: at, End: at + 3, Text: `new"x'`}, Edit{Start: at + 3, End: at + 3, Text: " * 2)"})
				at += 3
			}
			placed, err := node.Place(wanted)
			require.NoError(t, err, node.Text)
			edits = append(edits, placed...)
			lines = append(lines, node.Line())
		}
	}
	return Apply(text, edits), lines
}

func TestPlace(t *testing.T) {
	f := func(text, want string, wantLines ...int) {
		t.Helper()
		got, lines := rewrite(t, text)
		assert.Equal(t, want, got)
		assert.Equal(t, wantLines, lines)
		_, err := Read(got)
		assert.NoError(t, err)
	}
	f("# old\na: old + old # old\n", "# old\na: (new\"x' * 2) + (new\"x' * 2) # old\n", 2)
	f("a: 'it''s old'\n", "a: 'it''s (new\"x'' * 2)'\n", 1)
	f(`a: "\"x\" \u00e9\t old"`+"\n", `a: "\"x\" \u00e9\t (new\"x' * 2)"`+"\n", 1)
	f("a: |-  # text\n  sum(\n    old\n  )\nb: 1\n", "a: |-  # text\n  sum(\n    (new\"x' * 2)\n  )\nb: 1\n", 1)
	f("a: >\n  one\n  old\n\n  two old\n", "a: >\n  one\n  (new\"x' * 2)\n\n  two (new\"x' * 2)\n", 1)
	f("a: one\n  old\n  two\n", "a: one\n  (new\"x' * 2)\n  two\n", 1)
	f("a: &anchor !!str old\nb: *anchor\n", "a: &anchor !!str (new\"x' * 2)\nb: *anchor\n", 1, 1)
	f("é: {b: [x, old y]}\n---\nc: old\n", "é: {b: [x, (new\"x' * 2) y]}\n---\nc: (new\"x' * 2)\n", 1, 3)
	f("a: \"one \\\n  old\"\r\n", "a: \"one \\\n  (new\\\"x' * 2)\"\r\n", 1)
	f("{\"a\" : [ 1,\n \"\\\"\\ud83d\\ude00\\/ old\" ] }", "{\"a\" : [ 1,\n \"\\\"\\ud83d\\ude00\\/ (new\\\"x' * 2)\" ] }", 2)
	// A document in a string.
	f("data:\n  a.json: |\n    {\n      \"inner\": \"x{y=\\\"z\\\"} old\"}\n",
		"data:\n  a.json: |\n    {\n      \"inner\": \"x{y=\\\"z\\\"} (new\\\"x' * 2)\"}\n", 4)
	f(`{"a": "{\"inner\": \"old\"}"}`, `{"a": "{\"inner\": \"(new\\\"x' * 2)\"}"}`, 1)
}

func TestPlaceErrors(t *testing.T) {
	roots, err := Read("[old, 1]")
	require.NoError(t, err)
	_, err = roots[0].Items[0].Place([]Edit{{Start: 3, End: 3, Text: "{a}"}})
	assert.EqualError(t, err, "put the text in quotes: {a} cannot be added to it")
	_, err = roots[0].Items[1].Place(nil)
	assert.ErrorIs(t, err, errPlace)
	for _, text := range []string{"a: [", "{{ .Values.x }}: y: z"} {
		_, err = Read(text)
		assert.Error(t, err, text)
	}
	_, err = Read("{\n\"a\":\n]")
	assert.ErrorContains(t, err, "line 2: ")
	_, err = Read("{} {}")
	assert.Error(t, err)
}

// FuzzPlace checks that an edit changes a string, wherever it is, and nothing else.
func FuzzPlace(f *testing.F) {
	f.Add("a: \"x \\\n  old\"\nb: |\n  old x\nc: 'o''ld old'\nd: x\n  old")
	f.Add(`{"a": ["old\n", "x \u0020old"], "b": {"c": 1}}`)
	f.Fuzz(func(t *testing.T, text string) {
		roots, err := Read(text)
		if err != nil {
			return
		}
		for i, root := range roots {
			for _, node := range having(root, "old") {
				at := strings.Index(node.Text, "old")
				placed, err := node.Place([]Edit{{Start: at, End: at + 3, Text: "new"}})
				if err != nil {
					continue
				}
				want := node.Text[:at] + "new" + node.Text[at+3:]
				again, err := Read(Apply(text, placed))
				require.NoError(t, err)
				require.Len(t, again, len(roots))
				assert.NotEmpty(t, having(again[i], want))
			}
		}
	})
}
