// SPDX-License-Identifier: Apache-2.0

package logformat

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.yaml.in/yaml/v3"

	"github.com/otelcol-tc/otelcol-tc/conventions"
	"github.com/otelcol-tc/otelcol-tc/tests/testfiles"
)

// samples returns the records of testdata by file, without its end. The libraries wrote those of loggers
// themselves, except for those that this project does not run: their documentation has the lines.
func samples(t testing.TB, formats *Formats) map[string][]string {
	t.Helper()
	files, err := filepath.Glob("testdata/*/*.log")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	all := map[string][]string{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		name := strings.TrimSuffix(file, ".log")
		all[name] = joined(formats, strings.Split(strings.TrimSuffix(string(text), "\n"), "\n"))
	}
	return all
}

// joined joins lines to records.
func joined(formats *Formats, lines []string) []string {
	var records []string
	var last *Format
	for _, line := range lines {
		n := len(records)
		format := formats.Head([]byte(line), last)
		second := last != nil && !strings.Contains(records[n-1], "\n") && last.IsSecond([]byte(line))
		if second || format == nil && last != nil && last.Joins {
			records[n-1] += "\n" + line
			continue
		}
		records, last = append(records, line), format
	}
	for i := range records {
		records[i] = strings.TrimRight(records[i], "\n")
	}
	return records
}

// Each file is parsed as its .txt says, which UPDATE_GOLDEN=1 writes.
func TestSamples(t *testing.T) {
	formats := builtin(t)
	for name, records := range samples(t, formats) {
		t.Run(name, func(t *testing.T) {
			var got strings.Builder
			for _, record := range records {
				var e Entry
				got.WriteString(summary(formats.Match(record, nil, &e), &e))
			}
			testfiles.Golden(t, name+".txt", got.String())
		})
	}
}

func summary(format *Format, e *Entry) string {
	if format == nil {
		return "none\n"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s %s=%s\n  body: %q\n", format.Name, cmp.Or(timeText(e.Time), "-"), e.SeverityText, e.Severity, e.Body)
	for _, prefix := range e.Prefixes {
		fmt.Fprintf(&b, "  prefix: %q\n", prefix.Text)
	}
	for _, id := range e.IDs {
		fmt.Fprintf(&b, "  id %s: %q\n", id.Key, id.Value)
	}
	for _, field := range e.Resource {
		fmt.Fprintf(&b, "  resource %s: %q\n", field.Key, field.Value)
	}
	attributes := pcommon.NewMap()
	for _, a := range e.Attributes {
		a.Put(attributes)
	}
	for _, key := range slices.Sorted(maps.Keys(attributes.AsRaw())) {
		switch value, _ := attributes.Get(key); value.Type() {
		case pcommon.ValueTypeStr:
			fmt.Fprintf(&b, "  %s: %q\n", key, value.Str())
		default:
			fmt.Fprintf(&b, "  %s: %s %s\n", key, value.Type(), value.AsString())
		}
	}
	return b.String()
}

// A record is parsed alike whatever record came before it: no format takes the lines of another one.
func TestSamplesOfEachOther(t *testing.T) {
	formats := builtin(t)
	all := samples(t, formats)
	for name, records := range all {
		for _, record := range records {
			var want, got Entry
			format := formats.Match(record, nil, &want)
			for _, hint := range formats.all {
				assert.Same(t, format, formats.Match(record, hint, &got), "%s: %q after %s", name, record, hint.Name)
				assert.Equal(t, pieces(&want), pieces(&got))
			}
			line, _, _ := strings.Cut(record, "\n")
			assert.Same(t, format, formats.Head([]byte(line), nil), line)
		}
	}
}

// Texts that are no beginning of a record: prose, tables, fragments.
func TestNoHeads(t *testing.T) {
	formats := builtin(t)
	lines, err := os.ReadFile("testdata/no_heads.txt")
	require.NoError(t, err)
	for line := range strings.Lines(string(lines)) {
		line = strings.TrimSuffix(line, "\n")
		if format := formats.Head([]byte(line), nil); format != nil {
			t.Errorf("%q is in the format %s", line, format.Name)
		}
	}
}

// pieces returns the values of an entry by their keys.
func pieces(e *Entry) map[string]string {
	all := map[string]string{}
	if !e.Time.IsZero() {
		all["time"] = fmt.Sprint(e.Time)
	}
	if e.SeverityText != "" {
		all["severity"] = e.SeverityText
	}
	if e.Body != "" {
		all["body"] = e.Body
	}
	for _, field := range append(e.IDs, e.Resource...) {
		all[field.Key] = field.Value
	}
	for _, a := range e.Attributes {
		all[a.Key] = a.Text
		if a.Kind == KindInt {
			all[a.Key] = fmt.Sprint(a.Int)
		}
	}
	return all
}

// TestForms plays testdata/forms.txt, which UPDATE_GOLDEN=1 writes. Its lines are:
//
//   - # text: a comment.
//   - pack NAME YAML: a pack with rules for logs, besides those of the lines before.
//   - builtin: the built-in packs.
//   - only NAME: one format of these.
//   - "a record": a record, and indented below it what is parsed of it.
func TestForms(t *testing.T) {
	const file = "testdata/forms.txt"
	content, err := os.ReadFile(file)
	require.NoError(t, err)
	var played strings.Builder
	var packs []*conventions.Pack
	var formats *Formats
	for line := range strings.Lines(string(content)) {
		if strings.HasPrefix(line, "  ") {
			continue // it is written anew
		}
		played.WriteString(line)
		line = strings.TrimSuffix(line, "\n")
		switch verb, rest, _ := strings.Cut(line, " "); verb {
		case "pack":
			pack := &conventions.Pack{}
			pack.System, rest, _ = strings.Cut(rest, " ")
			require.NoError(t, yaml.Unmarshal([]byte(rest), &pack.Logs), line)
			packs = append(packs, pack)
			formats, err = New(packs)
			require.NoError(t, err, line)
		case "builtin":
			formats, packs = builtin(t), nil
		case "only":
			formats, err = formats.Only(rest)
			require.NoError(t, err, line)
			packs = nil
		case "", "#":
			packs = nil
		default:
			record, err := strconv.Unquote(line)
			require.NoError(t, err, line)
			e := Entry{Body: "old", Attributes: []Attribute{text("old", "")}}
			format := formats.Match(record, nil, &e)
			first, _, several := strings.Cut(record, "\n")
			// A format of two lines has a head that is no record yet.
			if head := formats.Head([]byte(first), nil); format != nil || !several && (head == nil || head.second == nil) {
				assert.Same(t, format, head, line)
			}
			if format == nil {
				assert.Empty(t, pieces(&e), line)
			}
			for parsed := range strings.Lines(summary(format, &e)) {
				played.WriteString("  " + parsed)
			}
			packs = nil
		}
	}
	testfiles.Golden(t, file, played.String())
}
