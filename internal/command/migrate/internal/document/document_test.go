// SPDX-License-Identifier: Apache-2.0

package document

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/internal/command/migrate/internal/edit"
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
func rewrite(t *testing.T, text string, format Format) (string, []int) {
	t.Helper()
	roots, err := Read(text, format)
	require.NoError(t, err)
	var edits []edit.Edit
	var lines []int
	for _, root := range roots {
		for _, node := range having(root, "old") {
			if node.Kind == Text && strings.HasPrefix(node.Text, "{") && strings.Contains(node.Text, `"inner"`) {
				inner, err := node.Embedded(JSON)
				require.NoError(t, err)
				node = inner[0].Get("inner")
			}
			var of []edit.Edit
			for at := 0; ; {
				i := strings.Index(node.Text[at:], "old")
				if i < 0 {
					break
				}
				at += i
				of = append(of, edit.Edit{Start: at, End: at, Text: "("}, edit.Edit{Start: at, End: at + 3, Text: `new"x'`}, edit.Edit{Start: at + 3, End: at + 3, Text: " * 2)"})
				at += 3
			}
			placed, err := node.Place(of)
			require.NoError(t, err, node.Text)
			edits = append(edits, placed...)
			lines = append(lines, node.Line())
		}
	}
	return edit.Apply(text, edits), lines
}

func TestPlace(t *testing.T) {
	f := func(format Format, text, want string, wantLines ...int) {
		t.Helper()
		got, lines := rewrite(t, text, format)
		assert.Equal(t, want, got)
		assert.Equal(t, wantLines, lines)
		_, err := Read(got, format)
		assert.NoError(t, err)
	}
	f(YAML, "# old\na: old + old # old\n", "# old\na: (new\"x' * 2) + (new\"x' * 2) # old\n", 2)
	f(YAML, "a: 'it''s old'\n", "a: 'it''s (new\"x'' * 2)'\n", 1)
	f(YAML, `a: "\"x\" \u00e9\t old"`+"\n", `a: "\"x\" \u00e9\t (new\"x' * 2)"`+"\n", 1)
	f(YAML, "a: |-  # text\n  sum(\n    old\n  )\nb: 1\n", "a: |-  # text\n  sum(\n    (new\"x' * 2)\n  )\nb: 1\n", 1)
	f(YAML, "a: >\n  one\n  old\n\n  two old\n", "a: >\n  one\n  (new\"x' * 2)\n\n  two (new\"x' * 2)\n", 1)
	f(YAML, "a: one\n  old\n  two\n", "a: one\n  (new\"x' * 2)\n  two\n", 1)
	f(YAML, "a: &anchor !!str old\nb: *anchor\n", "a: &anchor !!str (new\"x' * 2)\nb: *anchor\n", 1, 1)
	f(YAML, "é: {b: [x, old y]}\n---\nc: old\n", "é: {b: [x, (new\"x' * 2) y]}\n---\nc: (new\"x' * 2)\n", 1, 3)
	f(YAML, "a: \"one \\\n  old\"\r\n", "a: \"one \\\n  (new\\\"x' * 2)\"\r\n", 1)
	f(JSON, "{\"a\" : [ 1,\n \"\\\"\\ud83d\\ude00\\/ old\" ] }", "{\"a\" : [ 1,\n \"\\\"\\ud83d\\ude00\\/ (new\\\"x' * 2)\" ] }", 2)
	// A document in a string.
	f(YAML, "data:\n  a.json: |\n    {\n      \"inner\": \"x{y=\\\"z\\\"} old\"}\n",
		"data:\n  a.json: |\n    {\n      \"inner\": \"x{y=\\\"z\\\"} (new\\\"x' * 2)\"}\n", 4)
	f(JSON, `{"a": "{\"inner\": \"old\"}"}`, `{"a": "{\"inner\": \"(new\\\"x' * 2)\"}"}`, 1)
}

func TestPlaceErrors(t *testing.T) {
	roots, err := Read("[old, 1]", YAML)
	require.NoError(t, err)
	_, err = roots[0].Items[0].Place([]edit.Edit{{Start: 3, End: 3, Text: "{a}"}})
	assert.EqualError(t, err, "put the text in quotes: {a} cannot be added to it")
	_, err = roots[0].Items[1].Place(nil)
	assert.ErrorIs(t, err, errPlace)
	for _, text := range []string{"a: [", "{{ .Values.x }}: y: z", strings.Repeat("[", 600)} {
		_, err = Read(text, YAML)
		assert.Error(t, err, text)
	}
	_, err = Read("{\n\"a\":\n]", JSON)
	assert.ErrorContains(t, err, "line 3: ")
	_, err = Read(strings.Repeat("[", 600), JSON)
	assert.ErrorIs(t, err, errDepth)
	_, err = Read("{} {}", JSON)
	assert.ErrorContains(t, err, "there is text behind the document")
}

// FuzzPlace checks that an edit changes a string, wherever it is, and nothing else.
func FuzzPlace(f *testing.F) {
	f.Add("a: \"x \\\n  old\"\nb: |\n  old x\nc: 'o''ld old'\nd: x\n  old", true)
	f.Add(`{"a": ["old\n", "x \u0020old"], "b": {"c": 1}}`, false)
	f.Fuzz(func(t *testing.T, text string, asYAML bool) {
		format := JSON
		if asYAML {
			format = YAML
		}
		roots, err := Read(text, format)
		if err != nil {
			return
		}
		for i, root := range roots {
			for j, node := range having(root, "old") {
				at := strings.Index(node.Text, "old")
				placed, err := node.Place([]edit.Edit{{Start: at, End: at + 3, Text: "new"}})
				if err != nil {
					continue
				}
				want := node.Text[:at] + "new" + node.Text[at+3:]
				again, err := Read(edit.Apply(text, placed), format)
				require.NoError(t, err)
				require.Len(t, again, len(roots))
				_ = j
				assert.NotEmpty(t, having(again[i], want))
			}
		}
	})
}
