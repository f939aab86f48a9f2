// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"fmt"
	"strings"
)

// logFile and traceLogFile are the logs of an instance: of its API server, engine and workers.
func (i instance) logFile() string { return "fastdeploy_" + i.host + ".log" }

func (i instance) traceLogFile() string { return "fastdeploy_" + i.host + "_trace.log" }

// event is an entry of the trace log.
type event struct {
	ms    int
	name  string
	stage string
	// otel is the span the logging instrumentation saw, none in most threads.
	otel SpanRef
	// traceID is what the entry says of the request, "unknown" when the process
	// that writes it does not know the request's context.
	traceID string
}

// states is what an entry says of its own request. Ids that the instrumentation saw
// are those of the entry's own span, or of the request before, another trace's.
func (e event) states() States {
	switch {
	case e.otel == root && e.traceID == "unknown":
		return StatesNothing
	case e.otel == root:
		return StatesTrace
	case e.otel.TraceID.String() != e.traceID:
		return StatesConflict
	default:
		return StatesIDs
	}
}

// requestLogs write the trace log of one request. All entries belong to it; the
// ids they state are right, absent, or those of the request the thread served before.
func (run *fastDeployRun) requestLogs(rid string, request SpanRef, slices map[string]span) {
	known := request.TraceID.String()
	user := "user-" + randomHex(run.rng, 6)
	for _, e := range []event{
		{16, "PREPROCESSING_START", "PREPROCESSING", slices["PREPROCESSING"].ref(), known},
		{34, "PREPROCESSING_END", "PREPROCESSING", slices["PREPROCESSING"].ref(), known},
		{40, "REQUEST_SCHEDULE_START", "SCHEDULE", root, known},
		{150, "REQUEST_SCHEDULE_END", "SCHEDULE", run.previous, known},
		{230, "INFERENCE_START", "PREFILL", root, "unknown"},
		{380, "FIRST_TOKEN_GENERATED", "PREFILL", run.previous, known},
		{420, "DECODE_START", "DECODE", root, "unknown"},
		{560, "INFERENCE_END", "DECODE", root, known},
		{575, "POSTPROCESSING_START", "POSTPROCESSING", slices["POSTPROCESSING"].ref(), known},
		{585, "POSTPROCESSING_END", "POSTPROCESSING", slices["POSTPROCESSING"].ref(), known},
	} {
		run.trace(run.mixed, rid, user, e, slices[e.stage].ref())
	}
	run.entry(run.mixed, api, 36, "INFO", "serving_chat.py[line:142]", slices["PREPROCESSING"].ref(), "create chat completion request: "+rid)
	run.entry(run.mixed, api, 590, "INFO", "serving_chat.py[line:391]", slices["POSTPROCESSING"].ref(), "finished: "+rid)
}

// halfLogs write what one half of a split request logs, from its start to its end. Both halves name
// the request alike. No entry states a trace but some of the trace log.
func (run *fastDeployRun) halfLogs(i instance, rid string, request SpanRef, from, to int) {
	user := "user-" + randomHex(run.rng, 6)
	at := func(percent int) int { return from + (to-from)*percent/100 }
	info := func(process, percent int, source, message string) {
		run.entry(i, process, at(percent), "INFO", source, request, message)
	}
	info(api, 3, "serving_completion.py[line:132]", "Initialize request "+rid+": prompt='hello' max_tokens=64")
	run.entry(i, api, at(3), "INFO", "api_server.py[line:324]", root, `Completion Received request: {"model":"default","prompt":`+asJSON(Content)+`}`)
	info(api, 4, "common_engine.py[line:610]", "Receive request from api server: {'request_id': '"+rid+"_0', 'prompt': "+contentInPython+", 'prompt_token_ids': "+contentTokens+"}")
	info(api, 4, "trace.py[line:377]", "Using existing active span from context as root for RID: "+rid)
	info(api, 6, "engine_client.py[line:301]", "preprocess time cost 0.002 of "+rid+"_0, "+rid+"_1")
	info(engine, 8, "common_engine.py[line:688]", "Scheduler has put request: "+rid+"_0")
	info(worker, 12, "worker_process.py[line:441]",
		"Rank: 0, num_running_requests: 0, num_insert_requests: 2, req_ids: ['"+rid+"_0', '"+rid+"_1']")
	info(worker, 13, "gpu_model_runner.py[line:512]", "req_ids=["+rid+"::n::0]")
	// A batch of two requests is in neither's span.
	run.entry(i, worker, at(50), "INFO", "worker_process.py[line:441]", root,
		"Rank: 0, num_running_requests: 1, num_insert_requests: 2, req_ids: ['"+rid+"_0', 'cmpl-"+randomUUID(run.rng)+"_0']")
	info(engine, 80, "token_processor.py[line:377]", "Request: "+rid+"_0 finished, number of generated tokens: 64")
	info(api, 90, "serving_completion.py[line:402]", "completion "+rid+" sent to the client.")
	for n, e := range []event{
		{at(3), "PREPROCESSING_START", "PREPROCESSING", root, request.TraceID.String()},
		{at(5), "PREPROCESSING_END", "PREPROCESSING", root, "unknown"},
		{at(10), "REQUEST_SCHEDULE_START", "SCHEDULE", root, "unknown"},
		{at(70), "INFERENCE_END", "DECODE", root, "unknown"},
		{at(95), "POSTPROCESSING_END", "POSTPROCESSING", root, request.TraceID.String()},
	} {
		run.trace(i, fmt.Sprintf("%s_%d", rid, n%2), user, e, request)
	}
}

// engineLogs write the main log; its format has no ids.
func (run *fastDeployRun) engineLogs(slices map[string]span) {
	run.entry(run.mixed, engine, 60, "INFO", "engine.py[line:412]", slices["SCHEDULE"].ref(), "scheduled 1 request, batch size 4")
	run.entry(run.mixed, worker, 300, "WARNING", "cache_manager.py[line:205]", slices["PREFILL"].ref(), "prefix cache is 92% full")
	run.entry(run.mixed, engine, 700, "INFO", "engine_worker_queue.py[line:88]", root, "zmq heartbeat from worker 0")
	if run.scenarios%3 == 2 {
		run.entry(run.mixed, worker, 1600, "ERROR", "worker_process.py[line:301]", root, "cache transfer failed\n"+
			"Traceback (most recent call last):\n"+
			"  File \"worker_process.py\", line 298, in send_cache\n"+
			"    self.channel.send(blocks)\n"+
			"ConnectionResetError: [Errno 104] Connection reset by peer")
	}
}

// The processes of an instance. Each has the id after the one before.
const (
	api = iota
	engine
	worker
)

// entry writes to the main log of an instance. The formatter colours warnings and errors, in
// files as well as on a terminal.
func (run *fastDeployRun) entry(i instance, process, ms int, level, source string, in SpanRef, message string) {
	text := fmt.Sprintf("%-8s %s %-5d %s %s", level, run.asctime(ms), i.pid+process, source, message)
	if colour, ok := map[string]int{"WARNING": 33, "ERROR": 31}[level]; ok {
		text = fmt.Sprintf("\x1b[%dm%s\x1b[0m", colour, text)
	}
	run.write(i.logFile(), ms, in, StatesNothing, text)
}

func (run *fastDeployRun) trace(i instance, rid, user string, e event, in SpanRef) {
	traceID, spanID := "0", "0"
	if e.otel != root {
		traceID, spanID = e.otel.TraceID.String(), e.otel.SpanID.String()
	}
	fields := []string{
		"[otel_trace_id=" + traceID + "]", "[otel_span_id=" + spanID + "]",
		"[thread=139800761354276]", "[thread_name=MainThread]",
		fmt.Sprintf("[timestamp=%d]", run.at(e.ms).UnixMilli()),
		"[request_id=" + rid + "]", "[user_id=" + user + "]",
		"[event=" + e.name + "]", "[stage=" + e.stage + "]", "[trace_id=" + e.traceID + "]",
	}
	run.write(i.traceLogFile(), e.ms, in, e.states(), fmt.Sprintf("%-8s %s %-5d trace_logger.py[line:42] %s ",
		"INFO", run.asctime(e.ms), i.pid, strings.Join(fields, " ")))
}

// asctime is Python's, with a comma before the milliseconds.
func (run *fastDeployRun) asctime(ms int) string {
	return strings.Replace(run.at(ms).Format("2006-01-02 15:04:05.000"), ".", ",", 1)
}
