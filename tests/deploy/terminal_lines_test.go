// SPDX-License-Identifier: Apache-2.0

package deploy

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

// terminalRecord is what the record of a line says.
type terminalRecord struct {
	body, service string
	severity      plog.SeverityNumber
	ids           bool
}

const (
	terminalTrace = "0af7651916cd43dd8448eb211c80319c"
	terminalSpan  = "b7ad6b7169203331"
)

// terminalLines are what runtimes of the packs write to their terminals, and the records that they make. Where no
// pack names the service, the container does.
var terminalLines = map[string]struct {
	text string
	want terminalRecord
}{
	"tc-cpp": {"2026-11-22T10:00:00.000000001+00:00 W tid=7 store.cc:12 trace_id=" + terminalTrace + " span_id=" + terminalSpan + " evicted",
		terminalRecord{"evicted", "main", plog.SeverityNumberWarn, true}},
	"tc-python": {"ERROR 11-22 10:00:00 [grpc-worker-1] trace_id=" + terminalTrace + " span_id=" + terminalSpan + " server.py:8: no replica",
		terminalRecord{"no replica", "main", plog.SeverityNumberError, true}},
	// Its handler for the console colours warnings and errors.
	"fastdeploy": {"\x1b[33mWARNING  2026-11-22 10:00:00 3100  engine.py[line:412] [otel_trace_id=" + terminalTrace + "] [otel_span_id=" + terminalSpan + "] queue is long\x1b[0m",
		terminalRecord{"queue is long", "FastDeploy", plog.SeverityNumberWarn, true}},
	"vllm": {"\x1b[1;36m(EngineCore_DP0 pid=271)\x1b[0;0m ERROR 11-22 10:00:00 [core.py:700] died",
		terminalRecord{"died", "vllm", plog.SeverityNumberError, false}},
	"sglang": {"[2026-11-22 10:00:00 TP0] Decode batch",
		terminalRecord{"Decode batch", "sglang", plog.SeverityNumberUnspecified, false}},
	"ray": {"\x1b[36m(train pid=4711)\x1b[0m 2026-11-22 10:00:00,123\tWARNING worker.py:12 -- slow",
		terminalRecord{"slow", "ray", plog.SeverityNumberWarn, false}},
	// A library of any program: its name stays in the body.
	"nccl": {"host-0:12:34 [0] NCCL WARN Call to connect failed",
		terminalRecord{"NCCL WARN Call to connect failed", "main", plog.SeverityNumberWarn, false}},
	"tgi": {"\x1b[2m2026-11-22T10:00:00.123456Z\x1b[0m \x1b[32m INFO\x1b[0m \x1b[2mtext_generation_router\x1b[0m\x1b[2m:\x1b[0m \x1b[2mrouter/src/main.rs\x1b[0m\x1b[2m:\x1b[0m\x1b[2m42:\x1b[0m Connected",
		terminalRecord{"Connected", "text-generation-inference.router", plog.SeverityNumberInfo, false}},
	"uvicorn": {"\x1b[32mINFO\x1b[0m:     Application startup complete.",
		terminalRecord{"Application startup complete.", "main", plog.SeverityNumberInfo, false}},
}

// What the runtimes of the packs write to a terminal, and to a pipe, comes through the agent with its header in
// fields, in both modes, from the files of containerd and of Docker. The API server is away.
func TestTerminalLinesOfPods(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"enforce", "audit"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			f := newLogFolders(t)
			for pod, line := range terminalLines {
				dir := f.pod(t, pod)
				for i, end := range []string{"\n", "\r\n"} { // a terminal writes both
					text, err := json.Marshal(line.text + end)
					require.NoError(t, err)
					collectortest.AppendLines(t, filepath.Join(dir, fmt.Sprint(2*i, ".log")), inContainer(strings.TrimSuffix(line.text+end, "\n")))
					collectortest.AppendLines(t, filepath.Join(dir, fmt.Sprint(2*i+1, ".log")),
						fmt.Sprintf(`{"log":%s,"stream":"stdout","time":"2026-11-22T10:00:00.5Z"}`, text))
				}
			}
			a := f.start(t, map[string]string{"OTELCOL_TC_MODE": mode})
			all := collectortest.AwaitRecords(t, a.backend, 4*len(terminalLines))
			got := map[string][]terminalRecord{}
			for _, resource := range all.ResourceLogs().All() {
				attributes := resource.Resource().Attributes().AsRaw()
				service, _ := attributes["service.name"].(string)
				for _, scope := range resource.ScopeLogs().All() {
					for _, record := range scope.LogRecords().All() {
						pod := fmt.Sprint(attributes["k8s.pod.name"])
						ids := record.TraceID().String() == terminalTrace && record.SpanID().String() == terminalSpan
						got[pod] = append(got[pod], terminalRecord{record.Body().AsString(), service, record.SeverityNumber(), ids})
					}
				}
			}
			for pod, line := range terminalLines {
				assert.Equal(t, slices.Repeat([]terminalRecord{line.want}, 4), got[pod], pod)
			}
		})
	}
}
