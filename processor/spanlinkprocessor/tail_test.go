// SPDX-License-Identifier: Apache-2.0

package spanlinkprocessor

import (
	"maps"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-tc/otelcol-tc/internal/livetail"
	"github.com/otelcol-tc/otelcol-tc/internal/policy"
	"github.com/otelcol-tc/otelcol-tc/tests/pipetest"
)

// watched runs a test of a processor, two of whose services somebody watches.
func watched(t *testing.T, settings rigSettings, f func(t *testing.T, r *rig, poll func(service string) []livetail.Pair)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		conventions, err := pipetest.NewHost(t.Context(), []byte("{packs: [messaging], services: {old: {mode: audit}}}"))
		require.NoError(t, err)
		_, extension, err := policy.Find(conventions)
		require.NoError(t, err)
		poll := func(service string) []livetail.Pair {
			answer, err := extension.Policy().Tail().Poll(service, 0)
			require.NoError(t, err)
			return answer.Pairs
		}
		index, err := newIndex("")
		require.NoError(t, err)
		require.NoError(t, index.Start(t.Context(), conventions))
		all := host{defaultIndex: index}
		maps.Copy(all, conventions.GetExtensions())
		r := &rig{sink: &sink{}, index: index}
		r.Traces = newProcessor(t, settings, r.sink)
		require.NoError(t, r.Start(t.Context(), all))
		poll("old")
		poll("new")
		f(t, r, poll)
		r.stop(t)
		time.Sleep(2 * livetail.Deadline)
	})
}

// Only spans that get links are shown: at once, or when they are no longer held.
func TestTail(t *testing.T) {
	for _, more := range []string{"", holdFive} {
		watched(t, handoff(more), func(t *testing.T, r *rig, poll func(string) []livetail.Pair) {
			r.send(t, put(1, "k", of("new")), put(3, "l", of("new")), put(5, "alone", of("new")))
			r.send(t, get(2, "k", of("new")), get(4, "l", of("old")))
			time.Sleep(time.Minute / 6)
			synctest.Wait()
			pairs := poll("new")
			require.Len(t, pairs, 1)
			assert.Equal(t, "span_link", pairs[0].Stage)
			assert.Equal(t, "traces", pairs[0].Signal)
			assert.False(t, pairs[0].Audited)
			var links []livetail.Row
			for _, row := range pairs[0].Rows {
				if row.Mark != livetail.Same {
					links = append(links, row)
				}
			}
			require.Len(t, links, 1)
			assert.Equal(t, livetail.Added, links[0].Mark)
			assert.Equal(t, livetail.Link, links[0].Place)
			assert.Equal(t, traceOf(1).String()+"/"+spanOf(1).String(), links[0].After.Key)
			assert.Contains(t, links[0].After.Value, "tc.link.rule=handoff")
			require.Len(t, poll("old"), 1)
			assert.True(t, poll("old")[0].Audited)
		})
	}
	// A span that is held is shown when its producer has come.
	watched(t, handoff(holdFive), func(t *testing.T, r *rig, poll func(string) []livetail.Pair) {
		r.send(t, get(2, "k", of("new")))
		r.send(t, put(1, "k", of("new")))
		assert.Empty(t, poll("new"))
		time.Sleep(6 * time.Second)
		synctest.Wait()
		assert.Len(t, poll("new"), 1)
	})
}

// TestWatchingChangesNothing checks that what goes on is the same whether somebody watches or not.
func TestWatchingChangesNothing(t *testing.T) {
	outputs := map[bool]string{}
	for _, watches := range []bool{false, true} {
		watched(t, handoff(holdFive), func(t *testing.T, r *rig, _ func(string) []livetail.Pair) {
			if !watches {
				time.Sleep(2 * livetail.Deadline)
			}
			for n := range uint64(5) {
				r.send(t, get(10*n+2, n, of("new")), get(10*n+4, n, of("old")))
				r.send(t, put(10*n+1, n, of("new")), put(10*n+3, n, of("old")))
			}
			time.Sleep(time.Minute / 6)
			synctest.Wait()
			td := ptrace.NewTraces()
			spans := td.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans()
			for _, span := range r.sink.take() {
				span.CopyTo(spans.AppendEmpty())
			}
			data, err := (&ptrace.JSONMarshaler{}).MarshalTraces(td)
			require.NoError(t, err)
			outputs[watches] = string(data)
		})
	}
	assert.Contains(t, outputs[true], "tc.link.rule")
	assert.Equal(t, outputs[false], outputs[true])
}
