// SPDX-License-Identifier: Apache-2.0

package main

import (
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/plog/plogotlp"
)

func newLogLoad(attributes int, v variant) (otlpLoad, error) {
	l := logLoad(attributes)
	l.variant = v
	var err error
	l.request, err = plogotlp.NewExportRequestFromLogs(newLogs(attributes, itemsPerRequest, v)).MarshalProto()
	return l, err
}

func newLogs(attributes, items int, v variant) plog.Logs {
	sources := logSources
	switch v {
	case idsInAttributes:
		sources = attributeSources
	case idsInText:
		sources = textSources
	case ofNobody:
		sources = nobodysLogs
	}
	ld := plog.NewLogs()
	for s, src := range sources[:min(items, len(sources))] {
		rl := ld.ResourceLogs().AppendEmpty()
		src.describe(rl.Resource())
		sl := rl.ScopeLogs().AppendEmpty()
		sl.Scope().SetName(src.scope)
		for n := s; n < items; n += len(sources) {
			record := sl.LogRecords().AppendEmpty()
			record.SetTimestamp(ended)
			record.SetObservedTimestamp(ended)
			record.SetSeverityNumber(plog.SeverityNumberInfo)
			record.SetSeverityText("INFO")
			if src.line != nil {
				record.Body().SetStr(src.line(n))
			} else {
				record.Body().SetStr(src.item(n, len(sources)).name)
			}
			if v == asSent || v == ofNobody {
				record.SetTraceID(traceID(n / spansPerTrace))
				record.SetSpanID(spanID(n))
			}
			src.fill(record.Attributes(), attributes, n)
		}
	}
	return ld
}

var logSources = []source{
	{
		service: "store-daemon", namespace: "tensorcast", scope: "tensorcast.daemon",
		items: []item{
			{name: "replica materialized from peer"},
			{name: "transport completed"},
		},
		attributes: []attribute{
			{"artifact_id", anID}, {"component", "daemon"}, {"node", "node-7"}, {"log.file.name", "store_daemon.INFO"}, {"event", "materialized"},
			{"tc.transport.id", anID}, {"tc.size.bytes", 1 << 20}, {"tc.source.type", "remote"}, {"view_id", anID}, {"log.iostream", "stderr"},
		},
	},
	{
		service: "tuft", scope: "tuft.futures",
		items: []item{
			{name: "Future enqueued: 3f2504e0-4f89-11d3-9a0c-0305e82c3301"},
			{name: "Future begin: 3f2504e0-4f89-11d3-9a0c-0305e82c3301"},
		},
		attributes: []attribute{
			{"otelTraceID", anID}, {"otelSpanID", "0"}, {"otelTraceSampled", true}, {"otelServiceName", "tuft"}, {"operation_type", "forward_backward"},
			{"code.function.name", "enqueue"}, {"code.file.path", "/app/tuft/futures.py"}, {"model_id", anID}, {"base_model", "Qwen/Qwen3-8B"}, {"status", "ready"},
		},
	},
	{
		service: "fastdeploy", scope: "fastdeploy.trace_logger",
		items: []item{
			{name: "request preprocessed"},
			{name: "first token sent"},
		},
		attributes: []attribute{
			{"rid", anID}, {"host_id", "host-3"}, {"pid", "4711"}, {"stage", "PREFILL"}, {"event", "INFERENCE_START"},
			{"thread_label", "EngineWorker"}, {"tp_rank", "1"}, {"dp_rank", "0"}, {"job_id", anID}, {"user_id", "u-17"},
		},
	},
}
