// SPDX-License-Identifier: Apache-2.0

package links

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
	"github.com/otelcol-tc/otelcol-tc/tests/items"
	"github.com/otelcol-tc/otelcol-tc/tests/payload"
	"github.com/otelcol-tc/otelcol-tc/tests/tcgen"
	"github.com/otelcol-tc/otelcol-tc/tests/tcgen/judge"
)

// toTwo adds pipelines without links behind the same receiver, which write to another
// directory.
const toTwo = `yaml:{
  exporters: {file/plain: {path: "%[1]s/traces.json", flush_interval: 200ms}, file/plain_logs: {path: "%[1]s/logs.json", flush_interval: 200ms}},
  service: {pipelines: {
    traces/plain: {receivers: [otlp], exporters: [file/plain]}, logs/plain: {receivers: [otlp], exporters: [file/plain_logs]}}}}`

// What comes to two pipelines is linked in one of them, and comes out of the other as it
// was sent: with the collector's data in memory of its own, and in pools.
func TestLinksInOneOfTwoPipelines(t *testing.T) {
	t.Parallel()
	f := func(name string, args ...string) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const hold, rounds, waiting = 2 * time.Second, tcgen.Scenarios / 2, 5
			dir := t.TempDir()
			settings := linking{
				spans: payload.RulesOfJobs(hold),
				logs:  payload.RulesOfJobs(hold) + fmt.Sprintf(", hold: %s", hold),
				more:  []string{fmt.Sprintf(toTwo, dir)},
				args:  args,
			}
			c := settings.start(t)
			plain := collectortest.OutputOf(dir)

			sender := newSender(t, c)
			random := rand.New(rand.NewPCG(3, 4))
			s := newScene(t, time.Now())
			for i := range rounds {
				requests, _ := s.round(random)
				keys := payload.Numbered(fmt.Sprint("round", i), waiting)
				took, put := takes(keys...), payload.JobsOf(payload.PutName, keys...)
				sender.spans(took)
				// Much comes in between, and takes the memory that is given back.
				for _, send := range requests {
					send(sender)
				}
				sender.spans(put)
				took.ResourceSpans().MoveAndAppendTo(s.sent.ResourceSpans())
				put.ResourceSpans().MoveAndAppendTo(s.sent.ResourceSpans())
			}
			collectortest.AwaitSpans(t, c, s.sent.SpanCount())
			require.Zero(t, c.Stop(t).Code)

			linked := c.Traces(t)
			items.RequireSame(t, items.Of(t, s.sent), items.Of(t, plain.Traces(t)))
			items.RequireSame(t, items.Of(t, s.sent), items.Of(t, tcgen.WithoutDerived(linked)))
			items.RequireSame(t, items.Of(t, s.records), items.Of(t, plain.LogRecords(t)))
			items.RequireSame(t, items.Of(t, withoutIDs(s.events)), items.Of(t, withoutIDs(c.LogRecords(t))))

			held := 0
			for _, link := range allDerivedLinks(linked) {
				if link.Rule == "held" {
					held++
				}
			}
			assert.Equal(t, waiting*rounds, held, "links of spans that waited")
			checkLinks(t, withoutRule(linked, "held"), s.pairs, minLinked)
		})
	}
	f("in memory of its own")
	f("in pools", "--feature-gates=pdata.useProtoPooling")
}

// withoutRule returns a copy of spans without the links of a rule.
func withoutRule(traces ptrace.Traces, rule string) ptrace.Traces {
	rest := ptrace.NewTraces()
	traces.CopyTo(rest)
	for span := range collectortest.SpansOf(rest) {
		span.Links().RemoveIf(func(link ptrace.SpanLink) bool { return judge.LinkRule(link) == rule })
	}
	return rest
}
