package logformat

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/collector/pdata/pcommon"
)

// FuzzMatch checks that the first line of a record decides its format. A layout returns parts
// of the record, and a reused entry equals a new one.
func FuzzMatch(f *testing.F) {
	for _, line := range ofLayouts {
		f.Add(line)
		f.Add("\x1b[31m" + line + "\nTraceback\x1b[0m")
	}
	for _, record := range []string{"", "{}", jsonLine, logfmtLine, traceback, continuation, "\x1b[m", `{"msg":"\ud800","a":[{}]}`, "level=\"\\x\""} {
		f.Add(record)
	}
	formats := builtin(f)
	var used Entry
	f.Fuzz(func(t *testing.T, record string) {
		var e Entry
		format := formats.Match(record, nil, &e)
		assert.Same(t, format, formats.Match(record, nil, &used))
		assert.Equal(t, pieces(&e), pieces(&used))
		if line, _, several := strings.Cut(record, "\n"); !several {
			assert.Same(t, format, formats.Head([]byte(line), nil))
			assert.Same(t, format, formats.Match(record, format, &used), "as a hint")
		} else if format != nil {
			assert.True(t, format.Joins)
		}
		if format == nil {
			assert.Empty(t, pieces(&e))
			return
		}
		into := pcommon.NewMap()
		for _, a := range e.Attributes {
			a.Put(into)
		}
		if format.Name == "json" || format.Name == "logfmt" {
			return
		}
		assert.Contains(t, record, e.Body)
		assert.Contains(t, record, e.SeverityText)
		for _, field := range append(e.IDs, e.Resource...) {
			assert.NotEmpty(t, field.Value)
			assert.Contains(t, record, field.Value)
		}
		for _, a := range e.Attributes {
			assert.Contains(t, record, a.Text)
		}
	})
}
