// SPDX-License-Identifier: Apache-2.0

package scale

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// began is before any process of the simulation.
const began = pcommon.Timestamp(1_795_000_000_000_000_000)

// describe adds the attributes of the nth pod. The first of each node are of one service, which FastDeploy's pack owns.
func describe(r pcommon.Resource, pod int) {
	service := fmt.Sprint("service-", pod%pods)
	if pod%pods < podsOfService {
		service = "fastdeploy-decode"
	}
	a := r.Attributes()
	a.PutStr("service.name", service)
	a.PutStr("service.instance.id", fmt.Sprint("default.", service, "-", pod))
	a.PutStr("k8s.namespace.name", "default")
	a.PutStr("k8s.pod.name", fmt.Sprint(service, "-", pod))
	a.PutStr("k8s.pod.uid", fmt.Sprintf("3f2504e0-4f89-41d3-9a0c-%012x", pod))
	a.PutStr("k8s.node.name", fmt.Sprint("node-", pod/pods))
}

// scraped returns what a scrape of a pod's page has. Each counter grows by one from a scrape to the next.
func scraped(pod, metrics, series int, scrape float64) pmetric.Metrics {
	md := pmetric.NewMetrics()
	rm := md.ResourceMetrics().AppendEmpty()
	describe(rm.Resource(), pod)
	sm := rm.ScopeMetrics().AppendEmpty()
	for m := range metrics {
		metric := sm.Metrics().AppendEmpty()
		metric.SetName(fmt.Sprint("tc_work_done_", m))
		sum := metric.SetEmptySum()
		sum.SetIsMonotonic(true)
		sum.SetAggregationTemporality(pmetric.AggregationTemporalityCumulative)
		for i := range series / metrics {
			dp := sum.DataPoints().AppendEmpty()
			dp.Attributes().PutStr("model_name", "llama-70b")
			dp.Attributes().PutStr("queue", fmt.Sprint("queue-", i))
			dp.SetStartTimestamp(began)
			dp.SetTimestamp(began + pcommon.Timestamp(scrape*15e9))
			dp.SetDoubleValue(scrape + float64((pod*series+m*100+i)*2654435761%1_000_003))
		}
	}
	return md
}

// ids returns random ids, the same ones in each run.
func ids(random *rand.Rand) (trace pcommon.TraceID, span pcommon.SpanID) {
	binary.BigEndian.PutUint64(trace[:8], random.Uint64())
	binary.BigEndian.PutUint64(trace[8:], random.Uint64())
	binary.BigEndian.PutUint64(span[:], random.Uint64())
	return trace, span
}

const spansOfTrace = 5

// exported returns what a pod's SDK exports: so many traces.
func exported(random *rand.Rand, pod, traces int) ptrace.Traces {
	td := ptrace.NewTraces()
	rs := td.ResourceSpans().AppendEmpty()
	describe(rs.Resource(), pod)
	all := rs.ScopeSpans().AppendEmpty().Spans()
	for range traces {
		trace, _ := ids(random)
		for i := range spansOfTrace {
			span := all.AppendEmpty()
			_, id := ids(random)
			span.SetTraceID(trace)
			span.SetSpanID(id)
			span.SetName(fmt.Sprint("Work/Step", i))
			span.SetStartTimestamp(began + pcommon.Timestamp(random.Uint32()))
			span.SetEndTimestamp(span.StartTimestamp() + pcommon.Timestamp(random.Uint32()))
			a := span.Attributes()
			a.PutStr("http.route", "/v1/chat/completions")
			a.PutStr("gen_ai.request.model", "llama-70b")
			a.PutStr("server.address", "10.0.0.7")
			a.PutInt("gen_ai.usage.input_tokens", random.Int64N(4096))
			a.PutInt("gen_ai.usage.output_tokens", random.Int64N(1024))
			a.PutStr("request.id", trace.String())
		}
	}
	return td
}

// written returns lines of about 180 bytes of a pod's log.
func written(random *rand.Rand, pod, lines int) plog.Logs {
	ld := plog.NewLogs()
	rl := ld.ResourceLogs().AppendEmpty()
	describe(rl.Resource(), pod)
	all := rl.ScopeLogs().AppendEmpty().LogRecords()
	for range lines {
		record := all.AppendEmpty()
		trace, _ := ids(random)
		record.SetTimestamp(began + pcommon.Timestamp(random.Uint32()))
		record.SetSeverityNumber(plog.SeverityNumberInfo)
		record.Body().SetStr(fmt.Sprintf("[scheduler.py:%d] finished request %s after %d ms: %d tokens of the prompt, %d generated, "+
			"%d of them accepted from the draft, KV cache usage %.3f, running %d, waiting %d", random.IntN(999), trace, random.IntN(9999),
			random.IntN(4096), random.IntN(1024), random.IntN(512), random.Float64(), random.IntN(64), random.IntN(64)))
		record.Attributes().PutStr("code.file.path", "scheduler.py")
		record.Attributes().PutStr("log.file.path", "/var/log/pods/default/decode/0.log")
	}
	return ld
}
