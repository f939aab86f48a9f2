// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/binary"
	"math/rand/v2"

	"go.opentelemetry.io/collector/pdata/pcommon"
)

// idsOf are the ids that the nth log record carries outside of its own fields. All
// of their bytes vary, as they do in ids that are drawn.
func idsOf(n int) (trace pcommon.TraceID, span pcommon.SpanID) {
	drawn := rand.NewPCG(1, uint64(n))
	binary.BigEndian.PutUint64(trace[:8], drawn.Uint64())
	binary.BigEndian.PutUint64(trace[8:], drawn.Uint64())
	binary.BigEndian.PutUint64(span[:], drawn.Uint64())
	return trace, span
}

func traceText(n int) string {
	trace, _ := idsOf(n)
	return trace.String()
}

func spanText(n int) string {
	_, span := idsOf(n)
	return span.String()
}

// attributeSources carry their ids in attributes: a collector took TensorCast's out
// of its lines, and OpenTelemetry's logging instrumentation put TuFT's there.
var attributeSources = []source{
	{
		service: "store-daemon", namespace: "tensorcast", scope: "tensorcast.daemon",
		items: []item{
			{name: "replica materialized from peer"},
			{name: "transport completed"},
		},
		attributes: []attribute{
			{"severity", "I"}, {"trace_id", traceText}, {"span_id", spanText}, {"log.file.name", "tensorcast_daemon.log"}, {"source", "p2p_ingest.cc:302"},
			{"thread", "4103"}, {"log.iostream", "stderr"}, {"k8s.namespace.name", "serving"}, {"k8s.pod.name", "store-daemon-7f9c4"}, {"k8s.node.name", "node-7"},
		},
	},
	{
		service: "tuft", scope: "tuft.futures",
		items: []item{
			{name: "Future enqueued: 3f2504e0-4f89-11d3-9a0c-0305e82c3301"},
			{name: "Future begin: 3f2504e0-4f89-11d3-9a0c-0305e82c3301"},
		},
		attributes: []attribute{
			{"otelSpanID", spanText}, {"otelTraceID", traceText}, {"otelTraceSampled", true}, {"otelServiceName", "tuft"}, {"code.file.path", "/app/tuft/futures.py"},
			{"code.function.name", "enqueue"}, {"code.line.number", 88}, {"model_id", anID}, {"base_model", "Qwen/Qwen3-8B"}, {"operation_type", "forward_backward"},
		},
	},
}

// textSources carry their ids in the text alone, as a tailer that parses nothing
// leaves it.
var textSources = []source{
	{service: "store-daemon", namespace: "tensorcast", line: cppLine, attributes: ofFile},
	{service: "global-store", namespace: "tensorcast", line: pythonLine, attributes: ofFile},
	{service: "tuft", line: instrumentedLine, attributes: ofFile},
}

var ofFile = []attribute{
	{"log.file.name", "0.log"}, {"log.iostream", "stderr"}, {"logtag", "F"}, {"k8s.namespace.name", "serving"}, {"k8s.pod.name", "worker-7f9c4"},
	{"log.file.path", "/var/log/pods/serving_worker-7f9c4/worker/0.log"}, {"k8s.container.name", "worker"}, {"k8s.container.restart_count", 0}, {"k8s.node.name", "node-7"}, {"k8s.cluster.name", "east"},
}
