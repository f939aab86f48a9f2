// SPDX-License-Identifier: Apache-2.0

package genai

import (
	"cmp"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/conventions"
	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

var update = flag.Bool("update", false, "write the tables of docs/genai.md anew")

// packs are the packs of GenAI instrumentations in the order of the page, with the names they have there.
var packs = [][2]string{
	{"openinference", "OpenInference"},
	{"openllmetry", "OpenLLMetry"},
	{"litellm", "LiteLLM"},
	{"langchain", "LangChain, LangGraph, LangSmith"},
	{"pydantic_ai", "Pydantic AI"},
	{"crewai", "CrewAI"},
	{"gen_ai", "Deprecated attributes of the semantic conventions"},
}

// The tables of docs/genai.md are what comes out for the examples of the packs, and the differences to the stock
// processor.
func TestTablesOfThePage(t *testing.T) {
	path := filepath.Join(collectortest.Root(t), "docs", "genai.md")
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	page := string(text)
	for name, table := range map[string]string{"copies": copiesTables(t), "stock": stockTable(t)} {
		begin, end := fmt.Sprintf("<!-- begin %s -->\n", name), fmt.Sprintf("<!-- end %s -->\n", name)
		before, rest, ok := strings.Cut(page, begin)
		require.True(t, ok, begin)
		_, after, ok := strings.Cut(rest, end)
		require.True(t, ok, end)
		page = before + begin + "\n" + table + "\n" + end + after
	}
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(page), 0o600))
		return
	}
	assert.Equal(t, page, string(text), "go test ./tests/genai -run TestTablesOfThePage -update writes it")
}

// copiesTables returns a table for each pack, of its examples.
func copiesTables(t *testing.T) string {
	t.Helper()
	n := startNaming(t, "content: keep")
	var b strings.Builder
	for _, pack := range packs {
		source, err := conventions.Read(pack[0])
		require.NoError(t, err)
		fmt.Fprintf(&b, "### %s\n\n| in | out |\n| --- | --- |\n", pack[1])
		scope := ""
		if len(source.Pack.Owns.Scopes) > 0 && !source.Pack.Owns.All {
			scope = source.Pack.Owns.Scopes[0].String()
		}
		for _, e := range source.Examples.Attributes {
			in := maps.Clone(e.Given.Attributes)
			if in == nil {
				in = map[string]any{}
			}
			in[e.In] = e.Given.Value
			out := n.span(t, scope, in)
			for key, value := range e.Also {
				assert.EqualValues(t, value, out[key], "%s: %s: %s", pack[0], e.In, key)
			}
			row(&b, in, out, e.In)
		}
		for _, e := range source.Examples.Messages {
			row(&b, e.Given.Attributes, n.span(t, scope, e.Given.Attributes), "")
		}
		b.WriteByte('\n')
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// row writes what goes in, the attribute that it is about first, and what is added.
func row(b *strings.Builder, in, out map[string]any, about string) {
	var added []string
	for _, key := range slices.Sorted(maps.Keys(out)) {
		if _, ok := in[key]; !ok {
			added = append(added, cell(key, out[key]))
		}
	}
	keys := slices.SortedFunc(maps.Keys(in), func(a, b string) int {
		if (a == about) != (b == about) {
			return cmp.Or(map[bool]int{true: -1}[a == about], 1)
		}
		return strings.Compare(a, b)
	})
	var given []string
	for _, key := range keys {
		given = append(given, cell(key, in[key]))
	}
	if added == nil {
		added = []string{"no copy"}
	}
	fmt.Fprintf(b, "| %s | %s |\n", strings.Join(given, "<br>"), strings.Join(added, "<br>"))
}

// cell writes an attribute.
func cell(key string, value any) string {
	return strings.ReplaceAll(fmt.Sprintf("`%s` = `%v`", key, value), "|", `\|`)
}

// stockTable returns the table of the differences to the stock processor.
func stockTable(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("| source | attribute | stock | ours | why |\n| --- | --- | --- | --- | --- |\n")
	for _, source := range readStock(t).Sources {
		for _, d := range source.Differences {
			in, stock, ours := "`"+d.Key+"`", source.Keys[d.Key], "nothing"
			if d.Value != "" {
				in, stock = fmt.Sprintf("`%s` = `%s`", d.Key, d.Value), fmt.Sprintf("%s` = `%s", source.Keys[d.Key], source.Values[d.Key][d.Value])
			}
			if d.Ours != "" {
				ours = "`" + d.Ours + "`"
			}
			fmt.Fprintf(&b, "| %s | %s | `%s` | %s | %s |\n", source.Name, in, stock, ours, d.Reason)
		}
	}
	return b.String()
}
