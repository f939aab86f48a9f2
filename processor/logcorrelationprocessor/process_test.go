// SPDX-License-Identifier: Apache-2.0

package logcorrelationprocessor

import (
	"maps"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/otelcol-tc/otelcol-tc/internal/correlation"
)

// processRules have one for keys that several processes use.
var processRules = []any{
	map[string]any{
		"name": "shared", "key": map[string]any{"span_attribute": "rid"}, "same_process": true, "from": map[string]any{"kind": "server"},
		"logs": []any{
			map[string]any{"attribute": "rid", "ids": "trace"},
			map[string]any{"body": "ids=[{keys}]", "ids": "trace"},
			map[string]any{"tokens": []any{"req-"}, "ids": "trace"},
		},
	},
}

const during = spanStart + pcommon.Timestamp(5*time.Second) + 1

// sendFrom sends a record of a process and returns it. Hold is over when it comes out.
func (r *rig) sendFrom(process map[string]any, at pcommon.Timestamp, fill func(plog.LogRecord)) plog.LogRecord {
	r.t.Helper()
	ld := one(func(record plog.LogRecord) {
		record.SetTimestamp(at)
		fill(record)
	})
	resource := maps.Clone(process)
	if pid, ok := resource["record.pid"]; ok {
		delete(resource, "record.pid")
		require.NoError(r.t, ld.ResourceLogs().At(0).ScopeLogs().At(0).LogRecords().At(0).Attributes().PutEmpty("process.pid").FromRaw(pid))
	}
	require.NoError(r.t, ld.ResourceLogs().At(0).Resource().Attributes().FromRaw(resource))
	before := len(r.records())
	require.NoError(r.t, r.p.ConsumeLogs(r.t.Context(), ld))
	pass(hold)
	require.Len(r.t, r.records(), before+1)
	return r.records()[before]
}

func withRID(rid string) func(plog.LogRecord) {
	return func(record plog.LogRecord) { record.Attributes().PutStr("rid", rid) }
}

// Where requests are split, a key of several processes gives a record only the trace of its own process, also if no
// other span has come.
func TestRecordsGetTheTraceOfTheirProcess(t *testing.T) {
	cfg := holdingConfig()
	cfg.Rules = processRules
	type attributes = map[string]any
	f := func(name string, span, record attributes, same bool) {
		t.Helper()
		t.Run(name, func(t *testing.T) {
			inBubble(t, cfg, func(t *testing.T, r *rig) {
				r.split("shared", correlation.SplitTraces)
				r.span("shared", "k", 1, 11, span)
				want := [2]int{}
				if same {
					want[0] = 1
				}
				assert.Equal(t, want, ids(r.sendFrom(record, during, withRID("k"))))
			})
		})
	}
	prefill := attributes{"service.name": "s", "service.instance.id": "p", "host.name": "h", "process.pid": 3100}
	f("all is the same", prefill, prefill, true)
	f("another process of the host", prefill, attributes{"service.name": "s", "host.name": "h", "process.pid": 3200}, false)
	f("the process id is in the line", prefill, attributes{"host.name": "h", "record.pid": 3100}, true)
	f("and is another", prefill, attributes{"host.name": "h", "record.pid": 3200}, false)
	f("and is text", prefill, attributes{"host.name": "h", "record.pid": "3100"}, true)
	f("another instance with the same process id", prefill, attributes{"service.name": "s", "service.instance.id": "d", "host.name": "h", "process.pid": 3100}, false)
	f("an engine of the instance", prefill, attributes{"service.name": "s", "service.instance.id": "p", "record.pid": 3333}, true)
	f("an instance of another service", prefill, attributes{"service.name": "other", "service.instance.id": "p"}, false)
	f("nothing is known of the line", prefill, attributes{"service.name": "s"}, false)
	f("nothing is known of the span", attributes{"service.name": "s"}, prefill, false)
	f("nothing is known of both", attributes{"service.name": "s"}, attributes{"service.name": "s"}, false)
	f("only the host", prefill, attributes{"host.name": "h"}, false)
	f("only the process id", prefill, attributes{"process.pid": 3100}, false)
	f("the process id on another host", prefill, attributes{"host.name": "g", "process.pid": 3100}, false)
	one := attributes{"host.name": "h", "process.pid": 1}
	f("containers with one process each", one, one, false)
	none := attributes{"host.name": "localhost", "process.pid": 3100}
	f("hosts without a name", none, none, false)
	f("process id 0", attributes{"host.name": "h", "process.pid": 0}, attributes{"host.name": "h", "process.pid": 0}, false)
	container := attributes{"container.id": "c", "host.name": "h", "process.pid": 1}
	f("the same container", container, container, true)
	f("another container", container, attributes{"container.id": "e", "host.name": "h", "process.pid": 1}, false)
	f("a host's process id is not a container's", attributes{"container.id": "c", "host.name": "h", "process.pid": 3100}, attributes{"host.name": "h", "process.pid": 3100}, false)
	pod := attributes{"k8s.pod.uid": "u", "k8s.container.name": "c", "process.pid": 7}
	f("the same container of a pod", pod, pod, true)
	f("another container of the pod", pod, attributes{"k8s.pod.uid": "u", "k8s.container.name": "e", "process.pid": 7}, false)
	f("a pod with unknown containers", attributes{"k8s.pod.uid": "u", "process.pid": 7}, attributes{"k8s.pod.uid": "u", "process.pid": 7}, true)
	f("a container without a process id", attributes{"container.id": "c", "process.pid": 1}, attributes{"container.id": "c"}, true)
	f("an instance that is in two pods", attributes{"service.instance.id": "p", "k8s.pod.uid": "u"}, attributes{"service.instance.id": "p", "k8s.pod.uid": "v"}, false)
	f("and a process id of one", attributes{"k8s.pod.uid": "u", "process.pid": 700}, attributes{"k8s.pod.uid": "u", "process.pid": 700}, true)
	f("another pod", pod, attributes{"k8s.pod.uid": "v", "k8s.container.name": "c", "process.pid": 7}, false)
}

// Where no request is split, the only trace of a key is the right one, unless what both state contradicts it.
func TestRecordsOfWholeRequestsNeedNoProcess(t *testing.T) {
	cfg := holdingConfig()
	cfg.Rules = processRules
	type attributes = map[string]any
	f := func(name string, span, record attributes, want bool) {
		t.Helper()
		t.Run(name, func(t *testing.T) {
			inBubble(t, cfg, func(t *testing.T, r *rig) {
				r.span("shared", "k", 1, 11, span)
				assert.Equal(t, want, ids(r.sendFrom(record, during, withRID("k"))) == [2]int{1, 0})
			})
		})
	}
	f("nothing is known", nil, nil, true)
	f("a worker's line", attributes{"host.name": "h", "process.pid": 3100}, attributes{"process.pid": 3102}, true)
	f("another process of the host", attributes{"host.name": "h", "process.pid": 3100}, attributes{"host.name": "h", "process.pid": 3102}, false)
	f("a worker of the instance", attributes{"host.name": "h", "process.pid": 3100, "service.instance.id": "p"},
		attributes{"host.name": "h", "process.pid": 3102, "service.instance.id": "p"}, true)
	f("another host", attributes{"host.name": "h"}, attributes{"host.name": "g"}, false)
	f("the pod's name and the node's", attributes{"host.name": "h", "k8s.pod.uid": "u"}, attributes{"host.name": "g", "k8s.pod.uid": "u"}, true)
	f("another pod", attributes{"k8s.pod.uid": "u"}, attributes{"k8s.pod.uid": "v"}, false)
	f("another instance", attributes{"service.instance.id": "p"}, attributes{"service.instance.id": "d"}, false)
}

// Two traces of a key show that it is split: in two processes, in one pod, or in one container. One process can have
// had a request twice.
func TestSplitsShow(t *testing.T) {
	cfg := holdingConfig()
	cfg.Rules = processRules
	type attributes = map[string]any
	f := func(name string, one, other, record attributes, want int) {
		t.Helper()
		t.Run(name, func(t *testing.T) {
			inBubble(t, cfg, func(t *testing.T, r *rig) {
				r.span("shared", "k", 1, 11, one)
				r.span("shared", "k", 2, 21, other)
				assert.Equal(t, want, ids(r.sendFrom(record, during, withRID("k")))[0])
			})
		})
	}
	f("nothing is known", nil, nil, nil, 0)
	f("the record's pod is", attributes{"k8s.pod.uid": "u"}, attributes{"k8s.pod.uid": "v"}, attributes{"k8s.pod.uid": "v"}, 2)
	f("both are in its pod", attributes{"k8s.pod.uid": "u"}, attributes{"k8s.pod.uid": "u"}, attributes{"k8s.pod.uid": "u"}, 0)
	f("in two containers of it", attributes{"k8s.pod.uid": "u", "k8s.container.name": "p"}, attributes{"k8s.pod.uid": "u", "k8s.container.name": "d"},
		attributes{"k8s.pod.uid": "u", "k8s.container.name": "d"}, 2)
	f("and the record may be of both", attributes{"k8s.pod.uid": "u", "k8s.container.name": "p"}, attributes{"k8s.pod.uid": "u", "k8s.container.name": "d"},
		attributes{"k8s.pod.uid": "u"}, 0)
	f("in one container, by the process id", attributes{"container.id": "c", "process.pid": 7}, attributes{"container.id": "c", "process.pid": 8},
		attributes{"container.id": "c", "process.pid": 8}, 2)
	f("which is of neither", attributes{"container.id": "c", "process.pid": 7}, attributes{"container.id": "c", "process.pid": 8},
		attributes{"container.id": "c", "process.pid": 9}, 0)
}

// Records without a trace are counted by the reason.
func TestReasons(t *testing.T) {
	cfg := holdingConfig()
	cfg.Rules = processRules
	inBubble(t, cfg, func(t *testing.T, r *rig) {
		r.sendFrom(nil, during, func(plog.LogRecord) {})
		r.sendFrom(nil, during, withRID("nobody has it"))
		r.span("shared", "k", 1, 11, nil)
		r.span("shared", "k", 1, 12, nil)
		r.span("shared", "other", 2, 21, nil)
		r.sendFrom(nil, during, func(record plog.LogRecord) { record.Body().SetStr("ids=[k,other]") })
		r.split("shared", correlation.SplitTraces)
		r.sendFrom(nil, during, withRID("k"))
		r.sendFrom(map[string]any{"service.instance.id": "p"}, during, withRID("k"))
		r.sendFrom(nil, during, func(record plog.LogRecord) {
			record.Attributes().PutStr("trace_id", traceHex)
			record.Attributes().PutStr("traceId", otherTrace)
		})
		m, err := r.telemetry.GetMetric("otelcol_log_correlation_unresolved")
		require.NoError(t, err)
		got := map[string]int64{}
		for _, point := range m.Data.(metricdata.Sum[int64]).DataPoints {
			reason, _ := point.Attributes.Value("reason")
			got[reason.AsString()] = point.Value
		}
		assert.Equal(t, map[string]int64{"no_key": 1, "no_span": 1, "several_traces": 1, "no_process": 2, "conflict": 1}, got)
	})
}

// A process can have the same key again. Only a span that lasted when a record was written has it.
func TestRecordsGetTheTraceOfTheirTime(t *testing.T) {
	cfg := holdingConfig()
	cfg.Rules = processRules
	process := map[string]any{"service.instance.id": "p"}
	inBubble(t, cfg, func(t *testing.T, r *rig) {
		r.span("shared", "k", 1, 11, process)
		f := func(at pcommon.Timestamp, in bool) {
			t.Helper()
			got := ids(r.sendFrom(process, at, withRID("k")))
			assert.Equal(t, in, got == [2]int{1, 0}, "%d: %v", at, got)
		}
		const ms = pcommon.Timestamp(time.Millisecond)
		f(0, false)
		f(spanStart+1, true)
		f(spanEnd-1, true)
		f(spanStart-100*ms, true) // clocks differ
		f(spanEnd+100*ms, true)
		f(spanStart-101*ms-1, false)
		f(spanEnd+100*ms+1, false)
		f(spanStart-102*ms, false)
		f(spanStart-1000*ms, true) // a whole second may be any time within it
		f(spanStart-2000*ms, false)
		f(spanEnd, true)
		f(spanEnd+1000*ms, false)
	})
}

// All values in a record have to lead to one trace.
func TestRecordsWithSeveralKeys(t *testing.T) {
	cfg := holdingConfig()
	cfg.Rules = processRules
	process := map[string]any{"service.instance.id": "p"}
	inBubble(t, cfg, func(t *testing.T, r *rig) {
		r.span("shared", "a", 1, 11, process)
		r.span("shared", "req-a", 1, 11, process)
		r.span("shared", "b", 1, 12, process)
		r.span("shared", "c", 2, 21, process)
		f := func(want int, body string) {
			t.Helper()
			got := r.sendFrom(process, during, func(record plog.LogRecord) { record.Body().SetStr(body) })
			assert.Equal(t, [2]int{want, 0}, ids(got), body)
		}
		f(1, "ids=[a]")
		f(1, "ids=['a', \"b\"]")
		f(1, "ids=[a,a,b] for req-a")
		f(0, "ids=[a, c]")
		f(0, "ids=[a, unknown key]")
		f(0, "ids=[]")
		f(0, "ids=[c] for req-a")
		f(1, "x 'req-a'")
		f(1, "req-a: b")
		f(1, "id:req-a, done")
		f(1, "It was req-a.")
		f(0, "xreq-a")
		f(0, "req-a req-z")
		f(0, "req-")
		got := r.sendFrom(process, during, func(record plog.LogRecord) {
			withRID("c")(record)
			record.Body().SetStr("req-a")
		})
		assert.Equal(t, [2]int{}, ids(got))
	})
}

// What comes out at once is certain. The rest waits, and what comes later changes nothing.
func TestRecordsOfSeveralProcessesDoNotWaitForOthers(t *testing.T) {
	cfg := holdingConfig()
	cfg.Rules = processRules
	prefill, decode := map[string]any{"host.name": "h", "process.pid": 3100}, map[string]any{"host.name": "h", "process.pid": 3200}
	inBubble(t, cfg, func(t *testing.T, r *rig) {
		send := func(process map[string]any) {
			ld := one(func(record plog.LogRecord) { record.Body().SetStr("ids=[k]") }) // only one rule has it
			ld.ResourceLogs().At(0).ScopeLogs().At(0).LogRecords().At(0).SetTimestamp(during)
			require.NoError(t, ld.ResourceLogs().At(0).Resource().Attributes().FromRaw(process))
			require.NoError(t, r.p.ConsumeLogs(t.Context(), ld))
		}
		r.split("shared", correlation.SplitTraces)
		r.span("shared", "k", 1, 11, prefill)
		send(prefill)
		require.Len(t, r.records(), 1)
		assert.Equal(t, [2]int{1, 0}, ids(r.records()[0]))
		send(decode)
		pass(5 * time.Second)
		require.Len(t, r.records(), 1)
		r.span("shared", "k", 2, 21, decode)
		pass(time.Second)
		require.Len(t, r.records(), 2)
		assert.Equal(t, [2]int{2, 0}, ids(r.records()[1]))
		send(nil)
		require.Len(t, r.records(), 3, "nothing to wait for")
		assert.Equal(t, [2]int{}, ids(r.records()[2]))
	})
}

// While it is not known whether requests are split, a line of a file waits for the other part of its request. If none
// comes, requests are whole, and the next lines do not wait.
func TestFirstLinesOfFilesWaitForTheOtherPart(t *testing.T) {
	cfg := holdingConfig()
	cfg.Rules = processRules
	f := func(name string, split bool) {
		t.Run(name, func(t *testing.T) {
			inBubble(t, cfg, func(t *testing.T, r *rig) {
				line := func(rid string) {
					ld := one(withRID(rid))
					record := ld.ResourceLogs().At(0).ScopeLogs().At(0).LogRecords().At(0)
					record.SetTimestamp(during)
					record.Attributes().PutStr("log.file.path", "/var/log/decode/api.log")
					require.NoError(t, r.p.ConsumeLogs(t.Context(), ld))
				}
				r.span("shared", "first", 1, 11, nil)
				line("first")
				pass(hold / 2)
				require.Empty(t, r.records())
				want := [2]int{1, 0}
				if split {
					r.span("shared", "first", 2, 21, nil)
					want = [2]int{}
				}
				pass(hold)
				require.Len(t, r.records(), 1)
				assert.Equal(t, want, ids(r.records()[0]))
				if split {
					return
				}
				r.span("shared", "second", 3, 31, nil)
				line("second")
				require.Len(t, r.records(), 2)
				assert.Equal(t, [2]int{3, 0}, ids(r.records()[1]))
			})
		})
	}
	f("split", true)
	f("whole", false)
}
