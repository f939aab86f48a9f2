// SPDX-License-Identifier: Apache-2.0

package logformat

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"

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
	at := "-"
	if !e.Time.IsZero() {
		at = fmt.Sprintf("%04d-%02d-%02dT%02d:%02d:%02d.%09d", e.Time.Year, e.Time.Month, e.Time.Day, e.Time.Hour, e.Time.Minute, e.Time.Second, e.Time.Nanosecond)
		if e.Time.Zone {
			at += fmt.Sprintf("%+d", e.Time.Offset)
		}
	}
	fmt.Fprintf(&b, "%s %s %s=%s\n  body: %q\n", format.Name, at, e.SeverityText, e.Severity, e.Body)
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

// java.util.logging without its second line is no record of it.
func TestSecondLineMissing(t *testing.T) {
	formats := builtin(t)
	const head = "Nov 22, 2026 1:02:03 PM com.example.Shop main"
	var e Entry
	assert.Equal(t, "java_util_logging", formats.Head([]byte(head), nil).Name)
	assert.Nil(t, formats.Match(head, nil, &e))
	assert.Nil(t, formats.Match(head+"\nno level", nil, &e))
	assert.Empty(t, pieces(&e))
	require.NotNil(t, formats.Match(head+"\nFINE: two\nlines", nil, &e))
	assert.Equal(t, "two\nlines", e.Body)
	assert.Equal(t, int8(13), e.Time.Hour)
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

const spanID = "00f067aa0ba902b7"

func TestNoFormat(t *testing.T) {
	formats := builtin(t)
	_, bare, _ := strings.Cut(traceLine, "line:42] ")
	f := func(record string) {
		t.Helper()
		e := Entry{Body: "old", Attributes: []Attribute{text("old", "")}}
		assert.Nil(t, formats.Match(record, nil, &e), record)
		assert.Empty(t, append(e.IDs, e.Resource...), record)
		assert.Empty(t, e.Attributes, record)
		assert.Empty(t, e.Body+e.SeverityText, record)
		assert.True(t, e.Time.IsZero(), record)
	}
	for _, line := range []string{"", " ", "Traceback (most recent call last):", `  File "x.py", line 91, in y`, "    self._sync(worker)", "ValueError: x",
		"  pool=gpu0 capacity=4096 in_use=4096", "  waiters=3", "\x00\xff\xfe", "\x1b[0m", "\x1b[31m", "\x1b[", "INFO", "I0102", "message without anything", "{}", "\n", "=", "[]",
		// Several lines in formats that do not join lines.
		bare + "\nx", logfmtLine + "\nx", jsonLine + "\n" + jsonLine,
		// Dates that do not exist.
		strings.Replace(cppLine, "-01-", "-13-", 1), strings.Replace(pythonLine, "01-02", "02-30", 1)} {
		f(line)
	}
	// Truncated first lines: inside the time, and after it. Only a general format can know the time.
	for _, head := range []struct{ line, cutAt string }{
		{cppLine, "10:0"}, {cppLine, "+00:00"}, {cppLine, "store_"}, {cppLine, "577b34da"}, {cppLine, spanID}, {pythonLine, "[grpc"}, {pythonLine, "8: slow"},
		{glogLine, "4103"}, {glogLine, "412]"}, {otelLine, "[app"}, {otelLine, "True"}, {bare, "thread_name"}, {bare, "[event"}, {bare, "PROCESSING]"},
	} {
		begin, _, ok := strings.Cut(head.line, head.cutAt)
		assert.True(t, ok)
		if format := formats.Match(begin, nil, &Entry{}); format != nil {
			assert.Contains(t, []string{"time", "timestamped"}, format.Name, begin)
		}
	}
}
