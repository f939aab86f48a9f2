// SPDX-License-Identifier: Apache-2.0

package logcorrelationprocessor

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/otelcol-tc/otelcol-tc/internal/livetail"
	"github.com/otelcol-tc/otelcol-tc/internal/policy"
	"github.com/otelcol-tc/otelcol-tc/tests/pipetest"
)

// watched runs a test of a processor, two of whose services somebody watches.
func watched(t *testing.T, cfg *Config, f func(t *testing.T, r *rig, poll func(service string) []livetail.Pair)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		host, err := pipetest.NewHost(t.Context(), []byte("services: {old: {mode: audit}}"))
		require.NoError(t, err)
		_, extension, err := policy.Find(host)
		require.NoError(t, err)
		poll := func(service string) []livetail.Pair {
			answer, err := extension.Policy().Tail().Poll(service, 0)
			require.NoError(t, err)
			return answer.Pairs
		}
		r := newRigWith(t, cfg, nil, host.GetExtensions())
		poll("old")
		poll("new")
		f(t, r, poll)
		require.NoError(t, r.p.Shutdown(t.Context()))
		time.Sleep(2 * livetail.Deadline)
	})
}

// added returns the rows of a pair that are not the same.
func added(pair livetail.Pair) (all []string) {
	for _, r := range pair.Rows {
		if r.Mark == livetail.Added {
			all = append(all, fmt.Sprintf("%s %s", r.Place, r.After.Value))
		} else if r.Mark != livetail.Same {
			all = append(all, fmt.Sprint(r.Mark, " ", r.Place))
		}
	}
	return all
}

func from(service string, fill func(plog.LogRecord)) plog.Logs {
	ld := one(fill)
	ld.ResourceLogs().At(0).Resource().Attributes().PutStr("service.name", service)
	return ld
}

// A record that gets its ids from itself, one that gets them from the index, and one that is held until its span
// comes: each is shown when its ids are decided. One that gets none is not shown.
func TestTail(t *testing.T) {
	watched(t, holdingConfig(), func(t *testing.T, r *rig, poll func(string) []livetail.Pair) {
		trace := traceOf(1).String()
		stated := func(record plog.LogRecord) {
			record.Attributes().PutStr("trace_id", otherTrace)
			record.Attributes().PutStr("password", "S3CR3T")
		}
		send := func(ld plog.Logs) { require.NoError(t, r.p.ConsumeLogs(t.Context(), ld)) }
		send(from("new", func(plog.LogRecord) {}))
		send(from("new", stated))
		send(from("old", stated))
		send(from("nobody's", stated))
		pairs := poll("new")
		require.Len(t, pairs, 1)
		assert.Equal(t, []string{"trace_id " + otherTrace}, added(pairs[0]))
		assert.Equal(t, "log_correlation", pairs[0].Stage)
		assert.Equal(t, "logs", pairs[0].Signal)
		assert.False(t, pairs[0].Audited)
		assert.NotContains(t, fmt.Sprint(pairs[0].Rows[2].After, pairs[0].Rows[3].After), "S3CR3T")
		require.Len(t, poll("old"), 1)
		assert.True(t, poll("old")[0].Audited)

		send(from("new", withJob("one")))
		pass(time.Second)
		assert.Len(t, poll("new"), 1, "it waits")
		r.span("job", "one", 1, 11, nil)
		pass(time.Second)
		pairs = poll("new")
		require.Len(t, pairs, 2)
		assert.Equal(t, []string{"trace_id " + trace, "span_id " + spanOfNumber(11).String()}, added(pairs[1]))
		send(from("new", withJob("one")))
		pairs = poll("new")
		require.Len(t, pairs, 3)
		assert.Equal(t, added(pairs[1]), added(pairs[2]))
	})
}

// TestWatchingChangesNothing checks that what goes on is the same whether somebody watches or not.
func TestWatchingChangesNothing(t *testing.T) {
	outputs := map[bool]string{}
	for _, watches := range []bool{false, true} {
		watched(t, holdingConfig(), func(t *testing.T, r *rig, _ func(string) []livetail.Pair) {
			if !watches {
				time.Sleep(2 * livetail.Deadline)
			}
			for range 2 {
				require.NoError(t, r.p.ConsumeLogs(t.Context(), fromTwo(t)))
				r.span("job", "one", 1, 11, nil)
				pass(time.Second)
			}
			pass(hold)
			for _, ld := range r.got() {
				data, err := (&plog.JSONMarshaler{}).MarshalLogs(ld)
				require.NoError(t, err)
				outputs[watches] += string(data) + "\n"
			}
		})
	}
	assert.NotEmpty(t, outputs[true])
	assert.Equal(t, outputs[false], outputs[true])
}
