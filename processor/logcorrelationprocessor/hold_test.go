// SPDX-License-Identifier: Apache-2.0

package logcorrelationprocessor

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/otelcol-tc/otelcol-tc/internal/correlation"
)

const hold = 6 * time.Second

func holdingConfig() *Config {
	cfg := indexConfig()
	cfg.Hold = hold
	return cfg
}

// inBubble runs a test of a processor that holds.
func inBubble(t *testing.T, cfg *Config, f func(t *testing.T, r *rig)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { f(t, newRig(t, cfg, nil, nil)) })
}

func pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

func TestASpanThatNeverComes(t *testing.T) {
	inBubble(t, holdingConfig(), func(t *testing.T, r *rig) {
		ld := one(func(record plog.LogRecord) {
			withJob("one")(record)
			record.Body().SetEmptyMap().PutStr("a", "b")
			record.SetObservedTimestamp(9)
			record.SetSeverityText("INFO")
			record.SetSpanID(spanID)
			record.SetFlags(0xab00)
		})
		ld.ResourceLogs().At(0).SetSchemaUrl("https://a")
		ld.ResourceLogs().At(0).ScopeLogs().At(0).SetSchemaUrl("https://b")
		ld.ResourceLogs().At(0).ScopeLogs().At(0).Scope().SetName("scope")
		want := written(t, ld)
		require.NoError(t, r.p.ConsumeLogs(t.Context(), ld))
		assert.Equal(t, map[string]int64{"held": 1, "holding": 1}, r.counted())
		pass(hold - time.Millisecond)
		assert.Empty(t, r.got(), "an emptied batch stops")
		pass(time.Millisecond)
		require.Len(t, r.got(), 1)
		assert.Equal(t, want, written(t, r.got()[0]))
		pass(time.Minute)
		assert.Len(t, r.got(), 1)
		assert.Equal(t, map[string]int64{"held": 1, "released deadline": 1, "unresolved no_span": 1}, r.counted())
	})
}

// TestTheRestOfABatchGoesOn, and what is held of it comes with its resource and scope.
func TestTheRestOfABatchGoesOn(t *testing.T) {
	inBubble(t, holdingConfig(), func(t *testing.T, r *rig) {
		r.span("job", "here", 1, 11, nil)
		ld := plog.NewLogs()
		for i := range 3 {
			rl := ld.ResourceLogs().AppendEmpty()
			rl.Resource().Attributes().PutInt("resource", int64(i))
			for j := range 2 {
				sl := rl.ScopeLogs().AppendEmpty()
				sl.Scope().SetName(fmt.Sprint(i, j))
				for _, job := range []string{"absent", "here", "absent", "-"}[:4-i-j] {
					withJob(job)(sl.LogRecords().AppendEmpty())
				}
			}
		}
		all := ld.LogRecordCount()
		require.NoError(t, r.p.ConsumeLogs(t.Context(), ld))
		assert.Equal(t, map[string]int{"here": 5, "-": 1}, r.jobs())
		pass(hold)
		assert.Equal(t, map[string]int{"here": 5, "-": 1, "absent": all - 6}, r.jobs())
		require.Len(t, r.got(), 2)
		late := r.got()[1]
		require.Equal(t, 6, late.ResourceLogs().Len())
		for i, rl := range late.ResourceLogs().All() {
			number, _ := rl.Resource().Attributes().Get("resource")
			assert.Equal(t, int64(i/2), number.Int())
			assert.Equal(t, fmt.Sprint(i/2, i%2), rl.ScopeLogs().At(0).Scope().Name())
		}
		assert.Equal(t, 1, r.got()[0].ResourceLogs().At(2).ScopeLogs().Len(), "a scope goes with its last record")
	})
}

// jobs counts the records that came out by their key.
func (r *rig) jobs() map[string]int {
	jobs := map[string]int{}
	for _, record := range r.records() {
		job, _ := record.Attributes().Get("job")
		jobs[job.Str()]++
	}
	return jobs
}

// TestWhatIsStuckIsBounded: when neither what is held is accepted nor anything that is
// let go, records pass at once.
func TestWhatIsStuckIsBounded(t *testing.T) {
	cfg := holdingConfig()
	cfg.MaxHeldRecords = 100
	inBubble(t, cfg, func(t *testing.T, r *rig) {
		r.answers(func(ld plog.Logs) error {
			if job, _ := ld.ResourceLogs().At(0).ScopeLogs().At(0).LogRecords().At(0).Attributes().Get("job"); job.Str() == "held" {
				return errors.New("busy")
			}
			return nil
		})
		for range 300 {
			_ = r.p.ConsumeLogs(t.Context(), one(withJob("held")))
			pass(hold / 100)
		}
		assert.Equal(t, int64(200), r.counted()["holding"])
		for range 10 {
			assert.Error(t, r.p.ConsumeLogs(t.Context(), one(withJob("held"))), "its sender keeps it")
		}
		_, ok := r.send(withJob("other"))
		assert.True(t, ok)
		r.answers(nil)
		pass(time.Minute)
		assert.Equal(t, map[string]int{"held": 200, "other": 1}, r.jobs())
		assert.Zero(t, r.counted()["holding"])
	})
}

// TestShutdownWithoutTheIndex: what is held has no time to wait for an index that is away.
func TestShutdownWithoutTheIndex(t *testing.T) {
	inBubble(t, holdingConfig(), func(t *testing.T, r *rig) {
		for range 5000 {
			require.NoError(t, r.p.ConsumeLogs(t.Context(), one(withJob("one"))))
		}
		r.index.replace(func(index correlation.Index) correlation.Index { return slow{index} })
		assert.NoError(t, r.p.Shutdown(context.Background()))
		assert.Len(t, r.records(), 5000)
	})
}

// slow is an index that times out.
type slow struct{ correlation.Index }

func (slow) Do(context.Context, []correlation.Request, func(int, correlation.Result)) error {
	time.Sleep(time.Second)
	return errAway
}
