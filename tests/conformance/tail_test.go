// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-tc/otelcol-tc/cmd/tcgen/scenario"
	"github.com/otelcol-tc/otelcol-tc/internal/livetail"
	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
	"github.com/otelcol-tc/otelcol-tc/tests/payload"
)

// tuft is a service of a built-in pack.
const tuft = "tuft"

// sendTuFT sends a span with names that the pack of TuFT changes, and a record that states its trace in an
// attribute. Both have a secret.
func sendTuFT(t *testing.T, c *collectortest.Collector) (ref scenario.SpanRef) {
	t.Helper()
	describe := func(resource pcommon.Resource) { resource.Attributes().PutStr("service.name", tuft) }
	ref = payload.NewSpanRef()
	traces := ptrace.NewTraces()
	rs := traces.ResourceSpans().AppendEmpty()
	describe(rs.Resource())
	ss := rs.ScopeSpans().AppendEmpty()
	ss.Scope().SetName("tuft.server")
	span := ss.Spans().AppendEmpty()
	span.SetName("training_controller.run_forward")
	span.SetTraceID(ref.TraceID)
	span.SetSpanID(ref.SpanID)
	span.SetStartTimestamp(payload.Timestamp())
	span.SetEndTimestamp(payload.Timestamp())
	span.Attributes().PutStr("model_id", "m-1")
	span.Attributes().PutStr("openai.api_key", "S3CR3T")
	collectortest.PostTraces(t, c, traces)

	logs := plog.NewLogs()
	rl := logs.ResourceLogs().AppendEmpty()
	describe(rl.Resource())
	record := rl.ScopeLogs().AppendEmpty().LogRecords().AppendEmpty()
	record.Body().SetStr("a step is done")
	record.Attributes().PutStr("trace_id", ref.TraceID.String())
	record.Attributes().PutStr("span_id", ref.SpanID.String())
	record.Attributes().PutStr("gen_ai.input.messages", "S3CR3T")
	collectortest.PostLogs(t, c, logs)
	return ref
}

// tailOf returns what a poll of TuFT's tail has after a number.
func tailOf(t *testing.T, c *collectortest.Collector, after uint64) (answer livetail.Answer) {
	t.Helper()
	status, body := get(t, c, fmt.Sprintf("/api/v1/tail?service=%s&after=%d", url.QueryEscape(tuft), after))
	require.Equal(t, http.StatusOK, status, string(body))
	assert.NotContains(t, string(body), "S3CR3T")
	require.NoError(t, json.Unmarshal(body, &answer))
	return answer
}

// awaitService waits for a report that has a service.
func awaitService(t *testing.T, c *collectortest.Collector, name string) {
	t.Helper()
	collectortest.Eventually(t, collectortest.ArrivalTimeout, func() (bool, string) {
		_, body := get(t, c, "/api/v1/services")
		return strings.Contains(string(body), fmt.Sprintf("{\"name\":%q", name)), string(body)
	})
}

// rowsOf returns what changed in the pairs of a component, as "mark place before > after".
func rowsOf(pairs []livetail.Pair, stage, signal string) (all []string) {
	text := func(f *livetail.Field) string {
		if f == nil {
			return "-"
		}
		return strings.TrimPrefix(f.Key+"="+f.Value, "=")
	}
	for _, pair := range pairs {
		for _, r := range pair.Rows {
			if r.Mark != livetail.Same && pair.Stage == stage && pair.Signal == signal {
				all = append(all, fmt.Sprintf("%s %s %s > %s", r.Mark, r.Place, text(r.Before), text(r.After)))
			}
		}
	}
	return all
}

// A person who watches a service sees its items as they came and as they go out, by component, and no secret.
func TestTail(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"enforce", "audit"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			c := collectortest.Start(t, collectortest.Options{Configs: []string{"builtin:dev", withConventions("{mode: " + mode + "}")}})
			status, _ := get(t, c, "/api/v1/tail?service="+tuft)
			assert.Equal(t, http.StatusNotFound, status, "nothing came yet")
			sendTuFT(t, c)
			awaitService(t, c, tuft)
			assert.Empty(t, tailOf(t, c, 0).Pairs)
			ref := sendTuFT(t, c)
			var pairs []livetail.Pair
			collectortest.Eventually(t, collectortest.ArrivalTimeout, func() (bool, string) {
				pairs = tailOf(t, c, 0).Pairs
				return len(pairs) == 3, fmt.Sprintf("%+v", pairs)
			})
			for _, pair := range pairs {
				assert.Equal(t, mode == "audit", pair.Audited, pair.Stage)
			}
			spans := rowsOf(pairs, "naming", "traces")
			assert.Contains(t, spans, "changed name training_controller.run_forward > TrainingController/RunForward")
			assert.Contains(t, spans, "renamed attribute model_id=m-1 > tc.model.id=m-1")
			assert.Contains(t, spans, "changed attribute openai.api_key=[protected] > openai.api_key=[redacted]")
			assert.Contains(t, rowsOf(pairs, "naming", "logs"), "changed attribute gen_ai.input.messages=[protected] > gen_ai.input.messages=[redacted]")
			assert.Equal(t, []string{
				"added trace_id - > " + ref.TraceID.String(), "added span_id - > " + ref.SpanID.String(),
			}, rowsOf(pairs, "log_correlation", "logs"))
			assert.True(t, slices.ContainsFunc(pairs, func(p livetail.Pair) bool {
				return slices.ContainsFunc(p.Rows, func(r livetail.Row) bool { return r.Place == livetail.Body && r.After.Value == "a step is done" })
			}), "bodies are shown, as docs/security.md says")
			last := pairs[2].Seq
			assert.Empty(t, tailOf(t, c, last).Pairs)
			sendTuFT(t, c)
			collectortest.Eventually(t, collectortest.ArrivalTimeout, func() (bool, string) {
				return len(tailOf(t, c, last).Pairs) == 3, ""
			})
			require.Zero(t, c.Stop(t).Code)
		})
	}
}

// The page draws the tail, pauses it and goes on, and keeps it while it is redrawn.
func TestTailInBrowser(t *testing.T) {
	t.Parallel()
	c := collectortest.Start(t, collectortest.Options{Configs: []string{"builtin:dev", withConventions("{}")}})
	b := startBrowser(t)
	sendTuFT(t, c)
	awaitService(t, c, tuft)
	b.do(t, chromedp.Navigate("http://"+c.Page+"/"), chromedp.Click(chromedp.CSS("#adopt summary")))
	press := func(title string) {
		t.Helper()
		button := fmt.Sprintf(`document.querySelector('.tail button[aria-label="%s tuft"]')`, title)
		b.await(t, button+" !== null")
		evaluate[chromedp.Void](t, b, "("+button+".click(), {})")
	}
	press("Watch")
	b.await(t, `document.querySelector(".tail").innerText.includes("Waiting for an item")`)
	sendTuFT(t, c)
	b.await(t, `document.querySelectorAll(".pairs > li").length === 3`)
	all := fmt.Sprint(b.texts(t, ".pairs"))
	for _, want := range []string{"TrainingController/RunForward", "tc.model.id", "renamed", "trace id", "added", "[protected]"} {
		assert.Contains(t, strings.ReplaceAll(all, "\u200b", ""), want)
	}
	assert.NotContains(t, all, "S3CR3T")
	press("Pause")
	b.await(t, `document.querySelector('.tail [aria-pressed=true]') !== null`)
	sendTuFT(t, c)
	press("Pause")
	b.await(t, `document.querySelectorAll(".pairs > li").length === 6`)
	b.do(t, chromedp.EmulateViewport(phone.width, phone.height, chromedp.EmulateMobile))
	checkPhone(t, b)
	press("Stop")
	b.await(t, `document.querySelector(".pairs") === null`)
	assert.Empty(t, b.console(), "what the browser complained of")
	assert.Equal(t, []string{c.Page}, b.hostsAsked())
}
