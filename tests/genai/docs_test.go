// SPDX-License-Identifier: Apache-2.0

package genai

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/conventions"
	"github.com/otelcol-tc/otelcol-tc/tests/testfiles"
)

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

// The table of differences to the stock processor in docs/genai.md is that of the tests.
func TestTableOfThePage(t *testing.T) {
	testfiles.Section(t, "../../docs/genai.md", "<!-- begin stock -->\n", "<!-- end stock -->\n", "\n"+stockTable(t)+"\n")
}

// docs/genai/copies.csv has what comes out for the examples of the packs.
func TestCopiesOfThePage(t *testing.T) {
	n := startNaming(t, "content: keep")
	var text bytes.Buffer
	w := csv.NewWriter(&text)
	require.NoError(t, w.Write([]string{"instrumentation", "in", "out"}))
	for _, pack := range packs {
		source, err := conventions.Read(pack[0])
		require.NoError(t, err)
		scope := ""
		if len(source.Pack.Owns.Scopes) > 0 && !source.Pack.Owns.All {
			scope = source.Pack.Owns.Scopes[0].String()
		}
		for _, e := range source.Examples.Attributes {
			if e.Given.Value == nil {
				continue // about the key alone
			}
			in := maps.Clone(e.Given.Attributes)
			if in == nil {
				in = map[string]any{}
			}
			in[e.In] = e.Given.Value
			out := n.span(t, scope, in)
			for key, value := range e.Also {
				assert.EqualValues(t, value, out[key], "%s: %s: %s", pack[0], e.In, key)
			}
			require.NoError(t, w.Write(append([]string{pack[1]}, cells(in, out, e.In)...)))
		}
		for _, e := range source.Examples.Messages {
			require.NoError(t, w.Write(append([]string{pack[1]}, cells(e.Given.Attributes, n.span(t, scope, e.Given.Attributes), "")...)))
		}
	}
	w.Flush()
	testfiles.Golden(t, "../../docs/genai/copies.csv", text.String())
}

// cells returns what goes in, the attribute that it is about first, and what is added.
func cells(in, out map[string]any, about string) []string {
	var added []string
	for _, key := range slices.Sorted(maps.Keys(out)) {
		if _, ok := in[key]; !ok {
			added = append(added, fmt.Sprintf("%s = %v", key, out[key]))
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
		given = append(given, fmt.Sprintf("%s = %v", key, in[key]))
	}
	if added == nil {
		added = []string{"no copy"}
	}
	return []string{strings.Join(given, "\n"), strings.Join(added, "\n")}
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
