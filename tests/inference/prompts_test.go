// SPDX-License-Identifier: Apache-2.0

package inference

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
	"github.com/otelcol-tc/otelcol-tc/tests/tcgen"
	"github.com/otelcol-tc/otelcol-tc/tests/tcgen/scenario"
)

// writesContent are the systems that write prompts and answers into their logs.
var writesContent = []string{"fastdeploy", "litellm", "ray", "sglang", "tgi", "trtllm", "vllm"}

// TestPromptsInLogs reads the logs of all systems, and gets the same lines as a program without formats sends them,
// of a service whose name says nothing. The engines log requests. No prompt and no answer leaves, and the ids of
// requests stay.
func TestPromptsInLogs(t *testing.T) {
	t.Parallel()
	dir, start := t.TempDir(), time.Now()
	c := collectortest.StartReading(t, dir)
	sent := plog.NewLogs()
	resource := sent.ResourceLogs().AppendEmpty()
	resource.Resource().Attributes().PutStr("service.name", "chat")
	unparsed := resource.ScopeLogs().AppendEmpty().LogRecords()
	var found []string
	for _, name := range slices.Concat(scenario.Names(), scenario.KeptNames()) {
		content := false
		for _, batch := range tcgen.Imitate(t, name, start, start, 10*time.Second).Batches {
			for i, line := range batch.Lines {
				content = content || strings.Contains(line.Text, "grandmother")
				batch.Lines[i].File = name + "_" + line.File + ".log"
				unparsed.AppendEmpty().Body().SetStr(line.Text)
			}
			collectortest.WriteTexts(t, dir, batch.Lines)
		}
		if content {
			found = append(found, name)
		}
	}
	slices.Sort(found)
	require.Equal(t, writesContent, found)
	collectortest.PostLogs(t, c, sent)
	collectortest.Eventually(t, collectortest.ArrivalTimeout, func() (bool, string) {
		return len(collectortest.FileRecords(c.LogRecords(t))) > len(writesContent), "no records of files"
	})
	time.Sleep(3 * time.Second) // longer than a record waits for its continuation
	require.Zero(t, c.Stop(t).Code)
	for _, secret := range []string{"grandmother", strconv.Itoa(scenario.ContentToken)} {
		collectortest.RequireNowhere(t, c.Outputs(t), secret)
	}

	var bodies strings.Builder
	for record := range collectortest.Records(c.LogRecords(t)) {
		bodies.WriteString(record.Body().AsString() + "\n")
	}
	for _, line := range []string{
		`Request chatcmpl-\w+ details: prompt: \[redacted\]\n`, `Generated response chatcmpl-\w+: output: \[redacted\], finish_reason: stop\n`,
		`Receive: obj=GenerateReqInput\(rid='\w+', session_id=None, text=\[redacted\]\n`, `Finish: obj=GenerateReqInput\(rid='\w+', stream=False\), out=.*'e2e_latency': 1.53}}\n`,
		`Completion Received request: \[redacted\]\n`, `\nInput: \[redacted\]\n`, `litellm.acompletion\(model=gpt-5-mini\) 200 OK\n`,
	} {
		assert.Regexp(t, line, bodies.String())
	}
}
