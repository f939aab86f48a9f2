// SPDX-License-Identifier: Apache-2.0

package logs

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

// With nothing configured but the files, the lines of FastDeploy and vLLM that name a request come out in its trace. The
// spans have a service's name and nothing else, as those systems send them.
func TestLinesOfPlainInstallations(t *testing.T) {
	t.Parallel()
	const requests = 10
	dir := t.TempDir()
	globs, err := json.Marshal([]string{filepath.Join(dir, "*", "*.log")})
	require.NoError(t, err)
	c := collectortest.Start(t, collectortest.Options{Env: map[string]string{"OTELCOL_TC_LOG_FILES": string(globs)}})
	start := time.Now().Add(-time.Minute)
	traces := map[string]pcommon.TraceID{} // by id of request
	td := ptrace.NewTraces()
	lines := map[string][]string{}
	for i := range requests {
		at := start.Add(time.Duration(i) * 317 * time.Millisecond)
		for _, system := range []string{"fastdeploy", "vllm"} {
			id := fmt.Sprintf("cmpl-%s-%024d", system, i)
			traces[id] = requestSpan(td, system, id, at, at.Add(700*time.Millisecond))
			for file, texts := range requestLines(system, id, at) {
				lines[file] = append(lines[file], texts...)
			}
		}
	}
	want := 0
	for file, texts := range lines {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, file)), 0o700))
		collectortest.AppendLines(t, filepath.Join(dir, file), texts...)
		want += len(texts)
	}
	collectortest.PostTraces(t, c, td)
	awaitFileRecords(t, c, want)
	require.Zero(t, c.Stop(t).Code)

	inTrace, due := map[string]int{}, map[string]int{}
	for record := range collectortest.Records(c.LogRecords(t)) {
		for id, trace := range traces {
			if !strings.Contains(record.Body().AsString()+collectortest.LogText(record, "rid"), id) {
				continue
			}
			system := strings.Split(id, "-")[1]
			due[system]++
			if !record.TraceID().IsEmpty() {
				inTrace[system]++
				assert.Equal(t, trace, record.TraceID(), record.Body().AsString())
			}
		}
	}
	assert.Equal(t, map[string]int{"fastdeploy": 6 * requests, "vllm": 3 * requests}, due)
	assert.Equal(t, due, inTrace)
}

// requestSpan adds the span of a request, and returns its trace.
func requestSpan(td ptrace.Traces, system, id string, start, end time.Time) (trace pcommon.TraceID) {
	rs := td.ResourceSpans().AppendEmpty()
	rs.Resource().Attributes().PutStr("service.name", "my-"+system)
	ss := rs.ScopeSpans().AppendEmpty()
	span := ss.Spans().AppendEmpty()
	copy(trace[8:], fmt.Sprintf("%x", len(system)*1000+td.SpanCount()))
	span.SetTraceID(trace)
	span.SetSpanID(pcommon.SpanID(trace[8:]))
	span.SetKind(ptrace.SpanKindServer)
	span.SetStartTimestamp(pcommon.NewTimestampFromTime(start))
	span.SetEndTimestamp(pcommon.NewTimestampFromTime(end))
	if system == "vllm" {
		ss.Scope().SetName("vllm.llm_engine")
		span.SetName("llm_request")
		span.Attributes().PutStr("gen_ai.request.id", id)
	} else {
		ss.Scope().SetName("opentelemetry.instrumentation.fastapi")
		span.SetName("POST /v1/completions (Req: " + id + ")")
		span.Attributes().PutStr("rid", id)
	}
	return trace
}

// requestLines returns what the processes of a system write about a request, by file.
func requestLines(system, id string, start time.Time) map[string][]string {
	if system == "vllm" {
		line := func(process string, ms int, text string) string {
			return fmt.Sprintf("(%s) INFO %s %s", process, start.Add(time.Duration(ms)*time.Millisecond).Format("01-02 15:04:05"), text)
		}
		return map[string][]string{"vllm/vllm.log": {
			line("APIServer pid=1", 1, "[logger.py:40] Received request "+id+": params: SamplingParams(n=1), lora_request: None."),
			line("APIServer pid=1", 2, "[async_llm.py:587] Added request "+id+"."),
			line("APIServer pid=1", 699, "[request_logger.py:122] Generated response "+id+": output: 'x', finish_reason: stop"),
		}}
	}
	line := func(pid, ms int, text string) string {
		return fmt.Sprintf("%-8s %s %-5d %s", "INFO", strings.Replace(start.Add(time.Duration(ms)*time.Millisecond).Format("2006-01-02 15:04:05.000"), ".", ",", 1), pid, text)
	}
	return map[string][]string{
		"fastdeploy/api_server.log": {
			line(3100, 1, "serving_completion.py[line:132] Initialize request "+id+": prompt='x'"),
			line(3100, 2, "trace.py[line:377] Using existing active span from context as root for RID: "+id),
			line(3100, 701, "serving_completion.py[line:402] completion "+id+" sent to the client."),
		},
		"fastdeploy/fastdeploy.log":  {line(3101, 10, "common_engine.py[line:688] Scheduler has put request: "+id+"_0")},
		"fastdeploy/workerlog.0.log": {line(3102, 20, "worker_process.py[line:441] Rank: 0, num_running_requests: 0, req_ids: ['"+id+"_0']")},
		"fastdeploy/console.log":     {line(3101, 650, "token_processor.py[line:377] Request: "+id+"_0 finished, number of generated tokens: 64")},
	}
}
