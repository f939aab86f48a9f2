// SPDX-License-Identifier: Apache-2.0

package logformat

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

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
