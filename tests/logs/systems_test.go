// SPDX-License-Identifier: Apache-2.0

package logs

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
	"github.com/otelcol-tc/otelcol-tc/tests/tcgen"
	"github.com/otelcol-tc/otelcol-tc/tests/tcgen/judge"
	"github.com/otelcol-tc/otelcol-tc/tests/tcgen/scenario"
)

// sourceKeys are the attributes that say where a record comes from.
var sourceKeys = []string{"code.file.path", "logger.name", "process.pid", "process.name", "thread.id", "thread.name", "http.request.method",
	"component", // of LiteLLM's JSON
}

// maxJoined bounds the lines that continue a record, such as those of a traceback, in percent of a system's.
const maxJoined = 10

// unstated is what some lines of a system do not have. Each of them has the others.
var unstated = map[string][]string{
	"kserve": {"severity"}, // the latencies of requests
	"nccl":   {"time"},     // without NCCL_DEBUG_TIMESTAMP_FORMAT
	"ray":    {"source"},   // Serve's lines name the deployment
	"sglang": {"severity"}, // of its own format
	"trtllm": {"time"},     // of the C++ part
	"vllm":   {"time"},     // uvicorn's lines, and bars
}

// vllmFatal is the body of vLLM's message with a stack trace.
const vllmFatal = "EngineCore encountered a fatal error.\nTraceback (most recent call last):\n" +
	"  File \"/opt/vllm/v1/engine/core.py\", line 1099, in run_engine_core\n    engine_core.run_busy_loop()\n" +
	"torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.\nFor debugging consider passing CUDA_LAUNCH_BLOCKING=1"

// lastLine is appended to each file. Its record, which has lastBody, shows that the file was read to its end.
const (
	lastBody = "end of the file"
	lastLine = `{"level":"info","msg":"` + lastBody + `"}`
)

// files returns the files of lines.
func files(lines []scenario.Line) []string {
	names := map[string]bool{}
	for _, line := range lines {
		names[line.File] = true
	}
	return slices.Collect(maps.Keys(names))
}

// Each line of each system comes out as a record with its time, severity, source and service. Systems whose
// scenarios write no lines are logged.
func TestLinesOfAllSystems(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	c := collectortest.StartReading(t, dir)
	start := time.Now()
	systems := map[string]string{} // from a file's name
	written, total, ends, texts := map[string]int{}, 0, 0, ""
	for _, name := range slices.Concat(scenario.Names(), scenario.KeptNames()) {
		var lines []scenario.Line
		for _, batch := range tcgen.Imitate(t, name, start, start, 10*time.Second).Batches {
			for _, line := range batch.Lines {
				line.File = name + "_" + line.File + ".log"
				systems[line.File] = name
				lines = append(lines, line)
				texts += line.Text
			}
		}
		if len(lines) == 0 {
			t.Logf("%s writes no lines", name)
		}
		collectortest.WriteTexts(t, dir, lines)
		for _, file := range files(lines) {
			collectortest.AppendLines(t, filepath.Join(dir, file), lastLine)
			ends++
		}
		written[name] = len(lines)
		total += len(lines)
	}
	collectortest.Eventually(t, collectortest.ArrivalTimeout, func() (bool, string) {
		got := 0
		for record := range collectortest.Records(c.LogRecords(t)) {
			if record.Body().AsString() == lastBody {
				got++
			}
		}
		return got == ends, fmt.Sprintf("%d of %d files are read to their end", got, ends)
	})
	require.Zero(t, c.Stop(t).Code)

	records, fatal := map[string]int{}, 0
	for resource, record := range collectortest.RecordsByResource(c.LogRecords(t)) {
		system := systems[judge.Text(record.Attributes(), collectortest.FileKey)]
		if system == "" || record.Body().AsString() == lastBody {
			continue // pushed by the collector itself, or by the test
		}
		records[system]++
		if record.Body().AsString() == vllmFatal {
			fatal++
		}
		if missing := lacks(resource.Attributes(), record); missing != "" && !slices.Contains(unstated[system], missing) {
			assert.Fail(t, "a line was not parsed", "%s: no %s in a record of %s: %q",
				system, missing, judge.Text(record.Attributes(), collectortest.FileKey), record.Body().AsString())
		}
	}
	assert.Equal(t, strings.Count(texts, "EngineCore encountered"), fatal, "stack traces of vLLM, whose lines each have the header")
	assert.NotZero(t, fatal)
	for system, lines := range written {
		assert.GreaterOrEqual(t, records[system]*100, lines*(100-maxJoined), "%s: %d lines are %d records", system, lines, records[system])
	}
	t.Logf("%d lines are these records: %v", total, records)
}

// lacks names what a record lacks, or is empty.
func lacks(resource pcommon.Map, record plog.LogRecord) string {
	service, ok := resource.Get("service.name")
	switch {
	case record.Timestamp() == 0:
		return "time"
	case record.SeverityNumber() == plog.SeverityNumberUnspecified:
		return "severity"
	case !slices.ContainsFunc(sourceKeys, func(key string) bool { _, ok := record.Attributes().Get(key); return ok }):
		return "source"
	case !ok || service.AsString() == "":
		return "service.name"
	}
	return ""
}
