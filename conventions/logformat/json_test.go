// SPDX-License-Identifier: Apache-2.0

package logformat

import (
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
)

func TestJSON(t *testing.T) {
	formats, err := builtin(t).Only("json")
	require.NoError(t, err)
	at := Timestamp{Year: 2026, Month: 1, Day: 2, Hour: 10, Zone: true}
	f := func(line string, at Timestamp, severity string, number plog.SeverityNumber, body string, attributes map[string]any) {
		t.Helper()
		var e Entry
		require.NotNil(t, formats.Match(line, nil, &e), line)
		require.NotNil(t, formats.Head([]byte(line), nil), line)
		assert.Equal(t, at, e.Time, line)
		assert.Equal(t, severity, e.SeverityText, line)
		assert.Equal(t, number, e.Severity, line)
		assert.Equal(t, body, e.Body, line)
		assert.Empty(t, e.IDs, line)
		got := pcommon.NewMap()
		for _, a := range e.Attributes {
			a.Put(got)
		}
		assert.Equal(t, attributes, got.AsRaw(), line)
	}
	type m = map[string]any
	var none Timestamp

	// Records of zap, slog, pino, structlog, python-json-logger, zerolog, ECS.
	milli := at
	milli.Nanosecond = 123000000
	f(jsonLine, milli, "info", plog.SeverityNumberInfo, "replica ready", m{"code.file.path": "store/daemon.go", "code.line.number": int64(41),
		"trace_id": traceID, "replica": m{"id": int64(7), "device": "gpu0"}})
	f(`{"time":"2026-01-02T10:00:00Z","level":"INFO+2","source":{"function":"main.run","file":"/a/b.go","line":7},"msg":"x"}`, at, "INFO+2", plog.SeverityNumberInfo3, "x",
		m{"code.function.name": "main.run", "code.file.path": "/a/b.go", "code.line.number": int64(7)})
	f(`{"level":50,"time":1767348000000,"pid":1,"msg":"x","err":{"type":"E","stack":["a","b"]}}`, at, "50", plog.SeverityNumberError, "x",
		m{"pid": int64(1), "err": m{"type": "E", "stack": []any{"a", "b"}}})
	f(`{"event":"x","level":"warning","timestamp":"2026-01-02T10:00:00Z"}`, at, "warning", plog.SeverityNumberWarn, "x", m{})
	f(`{"message":"x","levelname":"CRITICAL","filename":"a.py","lineno":3,"event":"kept"}`, none, "CRITICAL", plog.SeverityNumberFatal, "x",
		m{"code.file.path": "a.py", "code.line.number": int64(3), "event": "kept"})
	local := at
	local.Zone, local.Nanosecond = false, 5000000
	f(`{"ts":"2026-01-02 10:00:00,005","lvl":"E","body":"x"}`, local, "E", plog.SeverityNumberError, "x", m{})
	f(`{"@timestamp":"2026-01-02T10:00:00.000Z","log.level":"debug","message":"x","trace":{"id":"`+traceID+`"}}`, at, "debug", plog.SeverityNumberDebug, "x", m{"trace": m{"id": traceID}})

	// Records of CLEF, .NET's console, ECS with its level in an object, Rust's tracing.
	f(`{"@t":"2026-01-02T10:00:00Z","@mt":"x {N}","@m":"x 7","@l":"Warning","@tr":"a","N":7}`, at, "Warning", plog.SeverityNumberWarn, "x 7",
		m{"@mt": "x {N}", "@tr": "a", "N": int64(7)})
	f(`{"Timestamp":"2026-01-02T10:00:00Z","LogLevel":"Critical","Message":"x","EventId":0}`, at, "Critical", plog.SeverityNumberFatal, "x", m{"EventId": int64(0)})
	f(`{"@timestamp":"2026-01-02T10:00:00Z","log":{"level":"WARN","logger":"l"},"message":"x"}`, at, "WARN", plog.SeverityNumberWarn, "x",
		m{"log": m{"level": "WARN", "logger": "l"}})
	f(`{"timestamp":"2026-01-02T10:00:00Z","level":"INFO","fields":{"message":"x","n":1}}`, at, "INFO", plog.SeverityNumberInfo, "x",
		m{"fields": m{"message": "x", "n": int64(1)}})
	f(`{"timestamp":"2026-01-02T10:00:00Z","level":"INFO","fields":{"message":"x"},"target":"shop::till"}`, at, "INFO", plog.SeverityNumberInfo, "x",
		m{"fields": m{"message": "x"}, "logger.name": "shop::till"})
	f(`{"timestamp":"2026-01-02T10:00:00Z","level":"WARN","message":"x","target":"shop::till","filename":"src/till.rs","line_number":7}`, at, "WARN", plog.SeverityNumberWarn, "x",
		m{"logger.name": "shop::till", "code.file.path": "src/till.rs", "code.line.number": int64(7)})
	f(`{"msg":"x","target":"db:5432","filename":"data.bin","lines":3}`, none, "", 0, "x", m{"target": "db:5432", "filename": "data.bin", "lines": int64(3)})
	f(`{"log":"x","fields":7,"msg":""}`, none, "", 0, "", m{"log": "x", "fields": int64(7)})

	// The keys of trace ids stay unchanged.
	f(`{"msg":"x","dd.trace_id":18446744073709551615,"dd.span_id":"7","traceId":"a","span":null,"f":1.5,"e":1e3,"b":true,"n":-9}`, none, "", 0, "x",
		m{"dd.trace_id": "18446744073709551615", "dd.span_id": "7", "traceId": "a", "span": nil, "f": 1.5, "e": 1000.0, "b": true, "n": int64(-9)})
	// Values that cannot be parsed stay: only the first usable value is removed.
	f(`{"time":"soon","timestamp":0.35,"ts":1767348000,"level":{"a":1},"severity":"odd","message":5,"msg":"x"}`, at, "odd", 0, "x",
		m{"time": "soon", "timestamp": 0.35, "level": m{"a": int64(1)}, "message": int64(5)})
	f(`{"msg":"x","caller":"10.0.0.1:80","source":"db:5432","filename":"data.bin"}`, none, "", 0, "x", m{"caller": "10.0.0.1:80", "source": "db:5432", "filename": "data.bin"})
	f(`{"msg":"x","source":{"file":""},"lineno":3}`, none, "", 0, "x", m{"source": m{"file": ""}, "lineno": int64(3)})
	// Several values of one key are a list. In an object, the last one stays.
	f(`{"msg":"x","a":1,"a":{"b":1,"b":2},"level":"info","level":"error"}`, none, "info", plog.SeverityNumberInfo, "x", m{"a": []any{int64(1), m{"b": int64(2)}}, "level": "error"})
	f(`{ "msg" : "a\"b\u00e9\n" , "k\n" : [ ] } `, none, "", 0, "a\"bé\n", m{"k\n": []any{}})
	f("\x1b[32m"+`{"msg":""}`+"\x1b[0m", none, "", 0, "", m{})
	f("\x1b[38:5:1m\x1b[K"+`{"msg":""}`+"\x1b[m\x1b[K", none, "", 0, "", m{})
	f(`{"time":null}`, none, "", 0, "", m{"time": nil})

	for _, line := range []string{``, `{`, `{}`, `[]`, `null`, ` {"msg":"x"}`, `{"msg":"x"`, `{"msg":"x"} x`, `{"msg":"x"}{}`, `{"msg":x}`, `{"a":1}`, `{"nested":{"msg":"x"}}`,
		`{"msg":"` + "\x00" + `"}`, `{"msg":"\x"}`, `[{"msg":"x"}]`, jsonLine[:len(jsonLine)-20]} {
		assert.Nil(t, formats.Match(line, nil, &Entry{}), line)
		assert.Nil(t, formats.Head([]byte(line), nil), line)
	}
}

// Values that are too deep or too large stay text, and records that are too large do not match:
// they would take stack memory, and time by the square of their size.
func TestJSONLimits(t *testing.T) {
	formats := builtin(t)
	const deep = 4000
	var e Entry
	put := func(line string) map[string]any {
		require.NotNil(t, formats.Match(line, nil, &e))
		m := pcommon.NewMap()
		for _, a := range e.Attributes {
			a.Put(m)
		}
		return m.AsRaw()
	}
	value := put(`{"msg":"x","a":` + strings.Repeat("[", deep) + strings.Repeat("]", deep) + "}")["a"]
	for range maxDepth {
		value = value.([]any)[0]
	}
	assert.Equal(t, strings.Repeat("[", deep-maxDepth)+strings.Repeat("]", deep-maxDepth), value)
	assert.Nil(t, formats.Match(`{"msg":"x","a":`+strings.Repeat("[", 1<<19)+strings.Repeat("]", 1<<19)+"}", nil, &e))

	keys := func(n int) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(`,"k` + strconv.Itoa(i) + `":1`)
		}
		return b.String()
	}
	assert.Len(t, put(`{"msg":"x"`+keys(maxKeys-1)+`}`), maxKeys-1)
	assert.Nil(t, formats.Match(`{"msg":"x"`+keys(maxKeys)+`}`, nil, &e))
	assert.Len(t, put(`{"msg":"x","a":{` + keys(maxKeys)[1:] + `}}`)["a"], maxKeys)
	assert.Equal(t, "{"+keys(maxKeys + 1)[1:]+"}", put(`{"msg":"x","a":{` + keys(maxKeys + 1)[1:] + `}}`)["a"])
}
