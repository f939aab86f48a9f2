// SPDX-License-Identifier: Apache-2.0

package namingprocessor

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-tc/otelcol-tc/internal/livetail"
	"github.com/otelcol-tc/otelcol-tc/internal/policy"
)

// watch begins to watch services of a host, and returns a function that returns the new pairs of a service.
func watch(t *testing.T, host component.Host, services ...string) func(service string) []livetail.Pair {
	t.Helper()
	_, extension, err := policy.Find(host)
	require.NoError(t, err)
	last := map[string]uint64{}
	poll := func(service string) []livetail.Pair {
		answer, err := extension.Policy().Tail().Poll(service, last[service])
		require.NoError(t, err)
		last[service] = answer.Last
		return answer.Pairs
	}
	for _, service := range services {
		poll(service)
	}
	return poll
}

// changed returns the rows of a pair that are not the same, as "mark place before > after".
func changed(pair livetail.Pair) (all []string) {
	text := func(f *livetail.Field) string {
		if f == nil {
			return "-"
		}
		return strings.TrimPrefix(f.Key+"="+f.Value, "=")
	}
	for _, r := range pair.Rows {
		if r.Mark != livetail.Same {
			all = append(all, fmt.Sprintf("%s %s %s > %s", r.Mark, r.Place, text(r.Before), text(r.After)))
		}
	}
	return all
}

func TestTailOfSpans(t *testing.T) {
	for _, test := range []struct {
		settings string
		audited  bool
	}{
		{"unowned: repair", false},
		{"{unowned: repair, mode: audit}", true},
		{"{unowned: repair, services: {shop: {mode: audit}}}", true},
		{"{unowned: repair, services: {other: {mode: audit}}}", false},
	} {
		host := hostWith(t, test.settings)
		poll := watch(t, host, "shop")
		td := ptrace.NewTraces()
		// Resources of both modes, so that the batch is split.
		for _, service := range []string{"other", "shop", "other"} {
			spanWith(t, service, "tc.ModelId", "m", "n", 5).ResourceSpans().At(0).MoveTo(td.ResourceSpans().AppendEmpty())
		}
		td.ResourceSpans().At(1).ScopeSpans().At(0).Spans().At(0).SetName("take order 4711")
		consumeTracesAt(t, host, defaultConfig(), td)
		pairs := poll("shop")
		require.Len(t, pairs, 1, test.settings)
		assert.Equal(t, "naming", pairs[0].Stage)
		assert.Equal(t, "traces", pairs[0].Signal)
		assert.Equal(t, test.audited, pairs[0].Audited)
		assert.WithinDuration(t, time.Now(), pairs[0].At, time.Minute)
		assert.Equal(t, []string{
			"changed name take order 4711 > Shop/TakeOrder", "renamed attribute tc.ModelId=m > tc.model_id=m",
			"added attribute - > tc.operation.ids=[\"4711\"]", "added attribute - > tc.original_name=take order 4711",
		}, changed(pairs[0]), test.settings)
	}
}

func TestTailOfLogs(t *testing.T) {
	host := hostWith(t, "unowned: repair")
	poll := watch(t, host, "shop")
	ld := plog.NewLogs()
	rl := ld.ResourceLogs().AppendEmpty()
	rl.Resource().Attributes().PutStr("service.name", "shop")
	record := rl.ScopeLogs().AppendEmpty().LogRecords().AppendEmpty()
	record.Body().SetStr("paid at https://me:S3CR3T@bank/")
	record.Attributes().PutStr("tc.TillNo", "7")
	consumeLogsAt(t, host, defaultConfig(), ld)
	pairs := poll("shop")
	require.Len(t, pairs, 1)
	assert.Equal(t, []string{"renamed attribute tc.TillNo=7 > tc.till_no=7"}, changed(pairs[0]))
	assert.Equal(t, livetail.Row{Place: livetail.Body, Mark: livetail.Same, After: &livetail.Field{Value: "paid at https://REDACTED@bank/"}}, pairs[0].Rows[0])
}

// TestTailOfMetrics has a metric whose points go to another one, before one whose place thereby changes.
func TestTailOfMetrics(t *testing.T) {
	host := hostWith(t, "unowned: repair")
	poll := watch(t, host, "shop")
	md := pmetric.NewMetrics()
	rm := md.ResourceMetrics().AppendEmpty()
	rm.Resource().Attributes().PutStr("service.name", "shop")
	metrics := rm.ScopeMetrics().AppendEmpty().Metrics()
	for _, name := range []string{"queue-length", "queue.length", "queueLength", "other-one"} {
		m := metrics.AppendEmpty()
		m.SetName(name)
		point := m.SetEmptyGauge().DataPoints().AppendEmpty()
		point.Attributes().PutStr("tc.CameAs", name)
	}
	out, _ := consumeMetricsAt(t, host, defaultConfig(), md)
	points := map[string]string{} // the names of outgoing metrics, by those of their points
	for _, m := range out[0].ResourceMetrics().At(0).ScopeMetrics().At(0).Metrics().All() {
		for _, point := range m.Gauge().DataPoints().All() {
			came, _ := point.Attributes().Get("tc.came_as")
			points[came.Str()] = m.Name()
		}
	}
	require.Len(t, points, 4)
	pairs := poll("shop")
	require.Len(t, pairs, 4)
	for _, pair := range pairs {
		assert.Equal(t, "metrics", pair.Signal)
		fields := map[string]livetail.Row{}
		for _, row := range pair.Rows {
			fields[string(row.Place)+row.After.Key] = row
		}
		came := fields["attributetc.came_as"]
		require.NotNil(t, came.Before)
		assert.Equal(t, livetail.Renamed, came.Mark)
		assert.Equal(t, points[came.After.Value], fields["name"].After.Value)
		if name := fields["name"]; name.Mark == livetail.Changed {
			assert.Equal(t, came.After.Value, name.Before.Value)
		}
	}
	assert.Contains(t, changed(pairs[3]), "changed name other-one > tc_other_one")
}

// TestTailShowsNoContent sends prompts and secrets through the processor, which may export them or not. Nobody
// sees them in the tail, neither as they came nor as they go out.
func TestTailShowsNoContent(t *testing.T) {
	pack := filepath.Join(t.TempDir(), "shop.yaml")
	require.NoError(t, os.WriteFile(pack, []byte(`system: shop
owns: {resource: {service.name: [shop]}}
attributes:
  - {key: my_question, rename: gen_ai.prompt}
  - {key: card, sensitive: redact}
  - {key: face, sensitive: remove}
  - {key: shop.asks, also: {key: gen_ai.input.messages}}
logs: {redact: ['card [^ ]+']}
`), 0o600))
	for _, settings := range []string{
		"", "mode: audit", "content: keep", "content: keep\nmode: audit", "content: hash", "content: {default: keep, secrets: keep}",
		"services: {shop: {mode: audit, content: keep}, other: {mode: enforce}}", "copied_attributes: remove",
	} {
		host := hostWith(t, settings+"\npacks: ["+pack+", builtin]")
		poll := watch(t, host, "shop")
		secrets := []any{
			"my_question", "S3CR3T", "card", "S3CR3T", "face", "S3CR3T", "shop.asks", "S3CR3T", "gen_ai.input.messages", `[{"content": "S3CR3T"}]`,
			"llm.input_messages.0.message.content", "S3CR3T", "openai.apiKey", "S3CR3T", "http.request.header.authorization", []any{"Bearer S3CR3T"},
			"url.full", "https://me:S3CR3T@shop/?api_key=S3CR3T", "llm.invocation_parameters", `{"temperature": 1, "response_format": "S3CR3T"}`,
			"nested", map[string]any{"password": "S3CR3T", "gen_ai": map[string]any{"prompt": "S3CR3T"}},
		}
		td := spanWith(t, "shop", secrets...)
		td.ResourceSpans().At(0).Resource().Attributes().PutStr("process.command_line", "serve --api-key S3CR3T")
		span := td.ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(0)
		span.SetName("GET /pay?token=S3CR3T")
		span.Attributes().CopyTo(span.Links().AppendEmpty().Attributes())
		event := span.Events().AppendEmpty()
		event.SetName("gen_ai.content.prompt")
		event.Attributes().PutStr("gen_ai.prompt", "S3CR3T")
		attrs := span.Attributes()

		ld := plog.NewLogs()
		rl := ld.ResourceLogs().AppendEmpty()
		rl.Resource().Attributes().PutStr("service.name", "shop")
		records := rl.ScopeLogs().AppendEmpty().LogRecords()
		for _, body := range []string{"Request chatcmpl-1f details: prompt: 'S3CR3T'", "paid with card S3CR3T", "GET /x?token=S3CR3T HTTP/1.1"} {
			record := records.AppendEmpty()
			record.Body().SetStr(body)
			attrs.CopyTo(record.Attributes())
		}
		event2 := records.AppendEmpty()
		event2.SetEventName("gen_ai.user.message")
		require.NoError(t, event2.Body().SetEmptyMap().FromRaw(map[string]any{"content": "S3CR3T", "card": "S3CR3T"}))

		md := pmetric.NewMetrics()
		rm := md.ResourceMetrics().AppendEmpty()
		rm.Resource().Attributes().PutStr("service.name", "shop")
		m := rm.ScopeMetrics().AppendEmpty().Metrics().AppendEmpty()
		m.SetName("orders")
		attrs.CopyTo(m.SetEmptyGauge().DataPoints().AppendEmpty().Attributes())

		consumeTracesAt(t, host, defaultConfig(), td)
		consumeLogsAt(t, host, defaultConfig(), ld)
		consumeMetricsAt(t, host, defaultConfig(), md)
		pairs := poll("shop")
		require.Len(t, pairs, 1+4+1)
		text, err := json.Marshal(pairs)
		require.NoError(t, err)
		assert.NotContains(t, string(text), "S3CR3T", settings)
		assert.Contains(t, string(text), "[protected]")
	}
}

// TestWatchingChangesNothing checks with random batches that the output is the same whether somebody watches or
// not, and that all pairs are of items that came.
func TestWatchingChangesNothing(t *testing.T) {
	shown := 0
	for _, settings := range []string{"unowned: repair", "{unowned: repair, mode: audit}", "{services: {tu*: {mode: audit}, fast*: {unowned: repair}}}"} {
		for seed := range uint64(60) {
			hosts := []component.Host{hostWith(t, settings), hostWith(t, settings)}
			poll := watch(t, hosts[1], "tuft", "fastdeploy", "tensorcast", "unknown")
			var spans, points, lines []string
			for _, host := range hosts {
				td, _ := consumeTracesAt(t, host, defaultConfig(), random{rand.New(rand.NewPCG(seed, 1))}.traces())
				spans = append(spans, string(must((&ptrace.ProtoMarshaler{}).MarshalTraces(td))))
				md, _ := consumeMetricsAt(t, host, defaultConfig(), random{rand.New(rand.NewPCG(seed, 2))}.metrics())
				for _, one := range md {
					points = append(points, string(must((&pmetric.ProtoMarshaler{}).MarshalMetrics(one))))
				}
				ld, _ := consumeLogsAt(t, host, defaultConfig(), random{rand.New(rand.NewPCG(seed, 3))}.logs())
				lines = append(lines, string(must((&plog.ProtoMarshaler{}).MarshalLogs(ld))))
			}
			require.Equal(t, spans[0], spans[1], "seed %d", seed)
			require.Equal(t, points[:len(points)/2], points[len(points)/2:], "seed %d", seed)
			require.Equal(t, lines[0], lines[1], "seed %d", seed)
			for _, service := range []string{"tuft", "fastdeploy", "tensorcast", "unknown"} {
				shown += len(poll(service))
			}
		}
	}
	assert.Greater(t, shown, 1000)
}

func must(data []byte, err error) []byte {
	if err != nil {
		panic(err)
	}
	return data
}
