// SPDX-License-Identifier: Apache-2.0

package logformat

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/plog"
)

const (
	traceID = "4bf92f3577b34da6a3ce929d0e0e4736"
	spanID  = "00f067aa0ba902b7"
	noTrace = "00000000000000000000000000000000"
	noSpan  = "0000000000000000"
)

// described is what a test expects of a record.
type described struct {
	format     string
	time       Timestamp
	severity   string
	number     plog.SeverityNumber
	body       string
	ids        []Field
	resource   []Field
	attributes []Attribute
}

func TestDescribedFormats(t *testing.T) {
	formats := builtin(t)
	f := func(record string, want described) {
		t.Helper()
		var e Entry
		format := formats.Match(record, nil, &e)
		require.NotNil(t, format, record)
		got := described{format.Name, e.Time, e.SeverityText, e.Severity, e.Body,
			append([]Field(nil), e.IDs...), append([]Field(nil), e.Resource...), append([]Attribute(nil), e.Attributes...)}
		assert.Equal(t, want, got, record)
		line, _, _ := strings.Cut(record, "\n")
		assert.Same(t, format, formats.Head([]byte(line), nil), record)
	}
	ids := func(trace, span string) []Field { return []Field{{"trace_id", trace}, {"span_id", span}} }
	source := func(file string, line int64) []Attribute {
		return []Attribute{text("code.file.path", file), number("code.line.number", line)}
	}
	thread := func(id int64, file string, line int64) []Attribute {
		return append([]Attribute{number("thread.id", id)}, source(file, line)...)
	}
	at := Timestamp{Year: 2026, Month: 1, Day: 2, Hour: 10}
	zoned := func(ns, offset int32) Timestamp {
		at := at
		at.Nanosecond, at.Offset, at.Zone = ns, offset, true
		return at
	}

	// TensorCast, C++.
	f(cppLine, described{format: "tensorcast_cpp", time: zoned(123456789, 0), severity: "I", number: plog.SeverityNumberInfo,
		body: "MaterializeReplicaV2 artifact=a1b2c3 device=0", ids: ids(traceID, spanID), attributes: thread(4103, "store_daemon_service.cc", 412)})
	f("2026-01-02T10:00:00.5-08:00 E tid=1 src/p2p_ingest.cc:231 trace_id="+noTrace+" span_id="+noSpan+" failed: RESOURCE_EXHAUSTED\n  pool=gpu0 capacity=4096\n\n  waiters=3",
		described{format: "tensorcast_cpp", time: zoned(500000000, -28800), severity: "E", number: plog.SeverityNumberError,
			body: "failed: RESOURCE_EXHAUSTED\n  pool=gpu0 capacity=4096\n\n  waiters=3", ids: ids(noTrace, noSpan), attributes: thread(1, "src/p2p_ingest.cc", 231)})
	f("2026-01-02T10:00:00Z F tid=5 a.cc:1 released replica r1", described{format: "tensorcast_cpp", time: zoned(0, 0), severity: "F",
		number: plog.SeverityNumberFatal, body: "released replica r1", attributes: thread(5, "a.cc", 1)})
	f("2026-01-02T10:00:00Z W tid=5 a.cc:1 trace_id=- span_id=-", described{format: "tensorcast_cpp", time: zoned(0, 0), severity: "W",
		number: plog.SeverityNumberWarn, ids: ids("-", "-"), attributes: thread(5, "a.cc", 1)})

	// TensorCast, Python: neither year nor time zone.
	yearless := Timestamp{Month: 1, Day: 2, Hour: 10}
	f(pythonLine, described{format: "tensorcast_python", time: yearless, severity: "WARNING", number: plog.SeverityNumberWarn,
		body: "slow query: 18.2 ms", ids: ids(traceID, spanID), attributes: append([]Attribute{text("thread.name", "grpc-worker-3")}, source("replica_repository.py", 88)...)})
	f("ERROR 01-02 10:00:00 [Thread 7 (loader)] trace_id=- span_id=- maintenance_coordinator.py:93: reconcile failed\nTraceback (most recent call last):\n  File \"x.py\", line 91, in y\nTimeoutError: no answer",
		described{format: "tensorcast_python", time: yearless, severity: "ERROR", number: plog.SeverityNumberError, ids: ids("-", "-"),
			body:       "reconcile failed\nTraceback (most recent call last):\n  File \"x.py\", line 91, in y\nTimeoutError: no answer",
			attributes: append([]Attribute{text("thread.name", "Thread 7 (loader)")}, source("maintenance_coordinator.py", 93)...)})
	f("INFO 01-02 10:00:00 [MainThread] trace_id=- span_id=- a.py:1: \n  second line", described{format: "tensorcast_python", time: yearless,
		severity: "INFO", number: plog.SeverityNumberInfo, ids: ids("-", "-"), body: "\n  second line",
		attributes: append([]Attribute{text("thread.name", "MainThread")}, source("a.py", 1)...)})

	// FastDeploy. Its formatter colours whole records of several lines.
	process := func(pid int64, file string, line int64) []Attribute {
		return append([]Attribute{number("process.pid", pid)}, source(file, line)...)
	}
	milli := at
	milli.Nanosecond = 123000000
	f(fastDeployLine, described{format: "fastdeploy", time: milli, severity: "INFO", number: plog.SeverityNumberInfo,
		body: "scheduled 1 request, batch size 4", attributes: process(3100, "engine.py", 412)})
	f("\x1b[33mWARNING  2026-01-02 10:00:00,123 3100  cache_manager.py[line:205] prefix cache is 92% full\x1b[0m", described{format: "fastdeploy", time: milli,
		severity: "WARNING", number: plog.SeverityNumberWarn, body: "prefix cache is 92% full", attributes: process(3100, "cache_manager.py", 205)})
	f("\x1b[31mCRITICAL 2026-01-02 10:00:00 31007 worker.py[line:301] [otel_trace_id=0] [otel_span_id=0] failed\nTraceback:\nOSError: reset\x1b[0m",
		described{format: "fastdeploy", time: at, severity: "CRITICAL", number: plog.SeverityNumberFatal, body: "failed\nTraceback:\nOSError: reset",
			ids: []Field{{"otel_trace_id", "0"}, {"otel_span_id", "0"}}, attributes: process(31007, "worker.py", 301)})

	// FastDeploy's trace log, with and without header, complete and incomplete.
	event := func(user string, before ...Attribute) []Attribute {
		before = append(before, number("thread.id", 139800761354276), text("thread.name", "MainThread"), text("rid", "cmpl-6f1f8b2a"))
		if user != "" {
			before = append(before, text("user.id", user))
		}
		return append(before, text("tc.stage", "PREPROCESSING"))
	}
	const low = "00000000000000008d1d3dbd2c9f0b51"
	stamped := zoned(16000000, 0)
	otel := []Field{{"otel_trace_id", low}, {"otel_span_id", "5fb397be34d26b51"}}
	f(traceLine, described{format: "fastdeploy_trace", time: stamped, severity: "INFO", number: plog.SeverityNumberInfo, body: "PREPROCESSING_START",
		ids: append(otel[:2:2], Field{"trace_id", low}), attributes: event("user-6f1f8b", process(3100, "trace_logger.py", 42)...)})
	_, bare, _ := strings.Cut(traceLine, "line:42] ")
	f(bare, described{format: "fastdeploy_trace", time: stamped, body: "PREPROCESSING_START",
		ids: append(otel[:2:2], Field{"trace_id", low}), attributes: event("user-6f1f8b")})
	f("[thread=139800761354276] [thread_name=MainThread] [timestamp=1767348000016] [request_id=cmpl-6f1f8b2a] [event=INFERENCE_START] [stage=PREPROCESSING]",
		described{format: "fastdeploy_trace", time: stamped, body: "INFERENCE_START", attributes: event("")})
	f("INFO     2026-01-02 10:00:00,016 3100  x.py[line:42] [otel_trace_id=0] [otel_span_id=0] [thread=139800761354276] [thread_name=MainThread] [timestamp=1767348000016] [request_id=cmpl-6f1f8b2a] [user_id=None] [event=X] [stage=PREPROCESSING] [trace_id=unknown] ",
		described{format: "fastdeploy_trace", time: stamped, severity: "INFO", number: plog.SeverityNumberInfo, body: "X",
			ids: []Field{{"otel_trace_id", "0"}, {"otel_span_id", "0"}, {"trace_id", "unknown"}}, attributes: event("None", process(3100, "x.py", 42)...)})

	// glog, klog and absl.
	micro := Timestamp{Month: 1, Day: 2, Hour: 10, Nanosecond: 123456000}
	f(glogLine, described{format: "glog", time: micro, severity: "I", number: plog.SeverityNumberInfo, body: "replica ready", attributes: thread(4103, "store_daemon_service.cc", 412)})
	micro.Year = 2026
	f("E20260102 10:00:00.123456 7 a/b.go:41] \"Failed\" err=\"x\"\ngoroutine 1 [running]:", described{format: "glog", time: micro, severity: "E",
		number: plog.SeverityNumberError, body: "\"Failed\" err=\"x\"\ngoroutine 1 [running]:", attributes: thread(7, "a/b.go", 41)})

	// OpenTelemetry's default for Python.
	logger := func(sampled string) []Attribute {
		return append(append([]Attribute{text("logger.name", "app.server")}, source("server.py", 41)...), text("trace_sampled", sampled))
	}
	f(otelLine, described{format: "python_otel", time: milli, severity: "INFO", number: plog.SeverityNumberInfo, body: "order taken",
		ids: ids(traceID, spanID), resource: []Field{{"service.name", "shop"}}, attributes: logger("True")})
	f("2026-01-02 10:00:00,123 ERROR [app.server] [server.py:41] [trace_id=0 span_id=0 resource.service.name= trace_sampled=False] - failed\nTraceback",
		described{format: "python_otel", time: milli, severity: "ERROR", number: plog.SeverityNumberError, body: "failed\nTraceback", ids: ids("0", "0"), attributes: logger("False")})
}

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
