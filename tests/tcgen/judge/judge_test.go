// SPDX-License-Identifier: Apache-2.0

package judge_test

import (
	"testing"

	"github.com/otelcol-tc/otelcol-tc/tests/tcgen/judge"
	"github.com/otelcol-tc/otelcol-tc/tests/tcgen/scenario"
)

func TestNames(t *testing.T) {
	f := func(right bool, is func(string) bool, names ...string) {
		t.Helper()
		for _, name := range names {
			if is(name) != right {
				t.Errorf("%s: right is %t", name, !right)
			}
		}
	}
	f(true, judge.MetricName, "tc_replicas", "http.server.duration", "http_server_duration", "up", "go_goroutines", "gen_ai.client.token.usage")
	f(false, judge.MetricName, "tensorcast_replicas", "tc_Replicas", "tc__replicas", "fastdeploy:requests", "http_requests_total", "upper")
	f(true, judge.SpanName, "GlobalStore/StartOperation", "GET /health")
	f(false, judge.SpanName, "start", "GlobalStore", "globalStore/Start", "GET", "FETCH /health")
}

func TestMadeOf(t *testing.T) {
	f := func(want bool, body, text string) {
		t.Helper()
		if got := judge.MadeOf(body, scenario.Line{Text: text}); got != want {
			t.Errorf("%q of %q: %t", body, text, got)
		}
	}
	f(true, "a\n  b", "INFO a\nINFO   b")
	f(true, "prompt: [redacted]", "INFO prompt: said")
	f(true, "[redacted]", "INFO "+scenario.Content)
	f(false, "[redacted]", "INFO said")
	f(false, "a and more", "INFO a")
	f(false, "", "INFO a")
}
