// SPDX-License-Identifier: Apache-2.0

package logformat

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/conventions"
)

const (
	cppLine        = `2026-01-02T10:00:00.123456789+00:00 I tid=4103 store_daemon_service.cc:412 trace_id=4bf92f3577b34da6a3ce929d0e0e4736 span_id=00f067aa0ba902b7 MaterializeReplicaV2 artifact=a1b2c3 device=0`
	pythonLine     = `WARNING 01-02 10:00:00 [grpc-worker-3] trace_id=4bf92f3577b34da6a3ce929d0e0e4736 span_id=00f067aa0ba902b7 replica_repository.py:88: slow query: 18.2 ms`
	fastDeployLine = `INFO     2026-01-02 10:00:00,123 3100  engine.py[line:412] scheduled 1 request, batch size 4`
	traceLine      = `INFO     2026-01-02 10:00:00,016 3100  trace_logger.py[line:42] [otel_trace_id=00000000000000008d1d3dbd2c9f0b51] [otel_span_id=5fb397be34d26b51] [thread=139800761354276] [thread_name=MainThread] [timestamp=1767348000016] [request_id=cmpl-6f1f8b2a] [user_id=user-6f1f8b] [event=PREPROCESSING_START] [stage=PREPROCESSING] [trace_id=00000000000000008d1d3dbd2c9f0b51] `
	glogLine       = `I0102 10:00:00.123456    4103 store_daemon_service.cc:412] replica ready`
	otelLine       = `2026-01-02 10:00:00,123 INFO [app.server] [server.py:41] [trace_id=4bf92f3577b34da6a3ce929d0e0e4736 span_id=00f067aa0ba902b7 resource.service.name=shop trace_sampled=True] - order taken`
	jsonLine       = `{"level":"info","ts":1767348000.123,"caller":"store/daemon.go:41","msg":"replica ready","trace_id":"4bf92f3577b34da6a3ce929d0e0e4736","replica":{"id":7,"device":"gpu0"}}`
	logfmtLine     = `ts=2026-01-02T10:00:00.123Z caller=main.go:41 level=info msg="replica ready" replica=7`
	traceback      = `Traceback (most recent call last):`
	continuation   = `    self._sync(worker)`
)

func builtin(t testing.TB) *Formats {
	t.Helper()
	packs, err := conventions.Load(nil)
	require.NoError(t, err)
	formats, err := New(packs)
	require.NoError(t, err)
	return formats
}

// only returns a single format, as a hint.
func only(t testing.TB, formats *Formats, name string) *Format {
	t.Helper()
	one, err := formats.Only(name)
	require.NoError(t, err)
	return one.all[0]
}

var ofLayouts = map[string]string{
	"tensorcast_cpp": cppLine, "tensorcast_python": pythonLine, "fastdeploy": fastDeployLine,
	"fastdeploy_trace": traceLine, "glog": glogLine, "python_otel": otelLine,
}

func BenchmarkMatch(b *testing.B) {
	formats := builtin(b)
	f := func(name, line string) {
		hint := only(b, formats, name)
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			var e Entry
			for b.Loop() {
				if formats.Match(line, hint, &e) == nil {
					b.Fatal("no match")
				}
			}
		})
		b.Run(name+"/head", func(b *testing.B) {
			b.ReportAllocs()
			text := []byte(line)
			for b.Loop() {
				if formats.Head(text, hint) == nil {
					b.Fatal("no match")
				}
			}
		})
	}
	for name, line := range ofLayouts {
		f(name, line)
	}
	f("json", jsonLine)
	f("logfmt", logfmtLine)
}

// Most lines of a traceback match no format, so all formats are tried.
func BenchmarkNoMatch(b *testing.B) {
	formats := builtin(b)
	hint := only(b, formats, "tensorcast_cpp")
	one, err := formats.Only("tensorcast_cpp")
	require.NoError(b, err)
	for name, line := range map[string]string{"traceback": traceback, "continuation": continuation} {
		text := []byte(line)
		b.Run(name+"/all", func(b *testing.B) {
			for b.Loop() {
				formats.Head(text, hint)
			}
		})
		b.Run(name+"/one", func(b *testing.B) {
			for b.Loop() {
				one.Head(text, nil)
			}
		})
	}
}
