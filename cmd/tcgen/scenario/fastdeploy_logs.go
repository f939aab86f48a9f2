package scenario

import (
	"fmt"
	"strings"
)

const (
	fastDeployLog      = "fastdeploy.log"
	fastDeployTraceLog = "fastdeploy_trace.log"
)

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
		run.trace(rid, user, e, slices[e.stage].ref())
	}
	run.entry(36, "INFO", "serving_chat.py[line:142]", slices["PREPROCESSING"].ref(), "create chat completion request: "+rid)
	run.entry(590, "INFO", "serving_chat.py[line:391]", slices["POSTPROCESSING"].ref(), "finished: "+rid)
}

// engineLogs write the main log; its format has no ids.
func (run *fastDeployRun) engineLogs(slices map[string]span) {
	run.entry(60, "INFO", "engine.py[line:412]", slices["SCHEDULE"].ref(), "scheduled 1 request, batch size 4")
	run.entry(300, "WARNING", "cache_manager.py[line:205]", slices["PREFILL"].ref(), "prefix cache is 92% full")
	run.entry(700, "INFO", "engine_worker_queue.py[line:88]", root, "zmq heartbeat from worker 0")
	if run.scenarios%3 == 2 {
		run.entry(1600, "ERROR", "worker_process.py[line:301]", root, "cache transfer failed\n"+
			"Traceback (most recent call last):\n"+
			"  File \"worker_process.py\", line 298, in send_cache\n"+
			"    self.channel.send(blocks)\n"+
			"ConnectionResetError: [Errno 104] Connection reset by peer")
	}
}

// entry writes to the main log. The formatter colours warnings and errors, in
// files as well as on a terminal.
func (run *fastDeployRun) entry(ms int, level, source string, in SpanRef, message string) {
	text := fmt.Sprintf("%-8s %s %-5d %s %s", level, run.asctime(ms), 3100+run.rng.IntN(4), source, message)
	if colour, ok := map[string]int{"WARNING": 33, "ERROR": 31}[level]; ok {
		text = fmt.Sprintf("\x1b[%dm%s\x1b[0m", colour, text)
	}
	run.write(fastDeployLog, ms, in, StatesNothing, text)
}

func (run *fastDeployRun) trace(rid, user string, e event, in SpanRef) {
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
	run.write(fastDeployTraceLog, e.ms, in, e.states(), fmt.Sprintf("%-8s %s %-5d trace_logger.py[line:42] %s ",
		"INFO", run.asctime(e.ms), 3100, strings.Join(fields, " ")))
}

// asctime is Python's, with a comma before the milliseconds.
func (run *fastDeployRun) asctime(ms int) string {
	return strings.Replace(run.at(ms).Format("2006-01-02 15:04:05.000"), ".", ",", 1)
}
