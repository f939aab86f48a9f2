// SPDX-License-Identifier: Apache-2.0

package logformat

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
)

func TestLogfmt(t *testing.T) {
	formats, err := builtin(t).Only("logfmt")
	require.NoError(t, err)
	f := func(line string, at Timestamp, number plog.SeverityNumber, body string, attributes ...Attribute) {
		t.Helper()
		var e Entry
		require.NotNil(t, formats.Match(line, nil, &e), line)
		require.NotNil(t, formats.Head([]byte(line), nil), line)
		assert.Equal(t, at, e.Time, line)
		assert.Equal(t, number, e.Severity, line)
		assert.Equal(t, body, e.Body, line)
		assert.Equal(t, attributes, append([]Attribute(nil), e.Attributes...), line)
	}
	at := Timestamp{Year: 2026, Month: 1, Day: 2, Hour: 10, Nanosecond: 123000000, Zone: true}
	f(logfmtLine, at, plog.SeverityNumberInfo, "replica ready", text("replica", "7"), text("code.file.path", "main.go"), number("code.line.number", 41))
	f(`time=2026-01-02T10:00:00.123Z level=WARN+1 source=/a/b.go:7 msg="a \"b\"\nc" trace_id=`+traceID, at, plog.SeverityNumberWarn2, "a \"b\"\nc",
		text("trace_id", traceID), text("code.file.path", "/a/b.go"), number("code.line.number", 7))
	f(`t=1767348000.123 lvl=eror err= flag msg=x`, at, 0, "x", text("err", ""), text("flag", ""))
	f(`level=info`, Timestamp{}, plog.SeverityNumberInfo, "")
	f(`level=info user= ip= err=`, Timestamp{}, plog.SeverityNumberInfo, "", text("user", ""), text("ip", ""), text("err", ""))
	f(`msg=x a=1 a=2`, Timestamp{}, 0, "x", text("a", "1"), text("a", "2"))

	for _, line := range []string{"", "=", "level", "  pool=gpu0 capacity=4096", " level=info msg=x", "pool=gpu0 level=info", "time=5s calls=3", "level=info msg=\"x",
		"level=info =x", "level=info a=b=c", "level=info a\"b", "level=info \xff=x", "LEVEL=info", "level =info", "message=x",
		"time=now level up", "t=5 seconds and level=high prose", "msg is level=high", "time=now level",
		"level=info" + strings.Repeat(" a=b", maxKeys)} {
		assert.Nil(t, formats.Match(line, nil, &Entry{}), line)
		assert.Nil(t, formats.Head([]byte(line), nil), line)
	}
}

// No value is lost where a line has a key several times.
func TestRepeatedKeys(t *testing.T) {
	attributes := pcommon.NewMap()
	for _, a := range []Attribute{text("a", "1"), number("a", 2), {Key: "a", Kind: KindJSON, Text: `{"b":3}`}, text("c", "4"), text("c", "4"), text("d", "5")} {
		a.Put(attributes)
	}
	assert.Equal(t, map[string]any{"a": []any{"1", int64(2), map[string]any{"b": int64(3)}}, "c": "4", "d": "5"}, attributes.AsRaw())
}
