// SPDX-License-Identifier: Apache-2.0

package logs

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/otelcol-tc/otelcol-tc/internal/conformance"
	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
	"github.com/otelcol-tc/otelcol-tc/tests/payload"
)

// The page counts the lines of a service with a trace by the evidence for it, and the others by the reason.
func TestReasonsOnPage(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "api_server.log")
	c := collectortest.Start(t, collectortest.Options{
		Env:     map[string]string{"OTELCOL_TC_LOG_FILES": fmt.Sprintf("[%q]", file), "OTELCOL_TC_LOG_HOLD": "2s"},
		Configs: []string{"builtin:dev", "yaml:connectors::conformance::interval: 1s"},
	})
	at := time.Now().Add(-time.Minute)
	const known, unknown = "cmpl-known-0123456789abcdef", "cmpl-unknown-0123456789abcdef"
	collectortest.PostTraces(t, c, payload.Read(t, "testdata/why", at).Traces)
	var lines []string
	for _, text := range []string{
		"[line:132] Initialize request " + known + ": prompt='x'", "[line:377] Using existing active span from context as root for RID: " + known,
		"[line:402] completion " + known + " sent to the client.", "[line:132] Initialize request " + unknown + ": prompt='x'",
		"[line:377] Using existing active span from context as root for RID: " + unknown, "[line:402] completion " + unknown + " sent to the client.",
		"[line:1] [otel_trace_id=0af7651916cd43dd8448eb211c80319c] [otel_span_id=b7ad6b7169203331] stated", "[line:2] ready",
	} {
		lines = append(lines, "INFO     "+at.Format("2006-01-02 15:04:05,000")+" 3100  engine.py"+text)
	}
	collectortest.AppendLines(t, file, lines...)
	want := conformance.LogTraces{
		Service: "FastDeploy", With: map[string]int64{"stated": 1, "key": 3}, Without: map[string]int64{"no_key": 1, "no_span": 3},
	}
	collectortest.Eventually(t, collectortest.ArrivalTimeout, func() (bool, string) {
		got := collectortest.ConformanceReport(t, c).LogTraces
		return slices.ContainsFunc(got, func(n conformance.LogTraces) bool { return fmt.Sprint(n) == fmt.Sprint(want) }), fmt.Sprint(got)
	})
}
