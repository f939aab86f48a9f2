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
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/otelcol-tc/otelcol-tc/extension/correlationindexextension"
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
	synctest.Test(t, func(t *testing.T) { f(t, newRig(t, cfg, nil)) })
}

func pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

func TestALogThatComesBeforeItsSpan(t *testing.T) {
	inBubble(t, holdingConfig(), func(t *testing.T, r *rig) {
		_, ok := r.send(withJob("one"))
		assert.False(t, ok)
		pass(4 * time.Second)
		assert.Empty(t, r.records())
		r.span("job", "one", 1, 11, nil)
		pass(400 * time.Millisecond)
		require.Len(t, r.records(), 1)
		assert.Equal(t, [2]int{1, 11}, ids(r.records()[0]))
		pass(time.Minute)
		assert.Len(t, r.records(), 1, "it goes once")
		assert.Equal(t, map[string]int64{"held": 1, "released found": 1, "enriched index": 1}, r.counted())
	})
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
		assert.Equal(t, map[string]int64{"held": 1, "released deadline": 1, "unresolved": 1}, r.counted())
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

func TestOverflow(t *testing.T) {
	cfg := holdingConfig()
	cfg.MaxHeldRecords = 100
	inBubble(t, cfg, func(t *testing.T, r *rig) {
		for i := range 200 {
			r.send(withJob(fmt.Sprint("job", i)))
			synctest.Wait()
		}
		require.Len(t, r.records(), 100)
		assert.Equal(t, map[string]int64{"held": 200, "holding": 100, "released overflow": 100, "unresolved": 100}, r.counted())
		pass(hold)
		seen := map[string]int{}
		for i, record := range r.records() {
			job, _ := record.Attributes().Get("job")
			seen[job.Str()]++
			if i < 100 {
				assert.Equal(t, fmt.Sprint("job", i), job.Str(), "the oldest go")
			}
		}
		assert.Len(t, seen, 200)
		assert.Len(t, r.records(), 200)
	})
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

func TestShutdownDeliversWhatIsHeld(t *testing.T) {
	inBubble(t, holdingConfig(), func(t *testing.T, r *rig) {
		for i := range 100 {
			require.NoError(t, r.p.ConsumeLogs(t.Context(), batch(100, 0, withJob(fmt.Sprint("job", i)))))
		}
		assert.Empty(t, r.records())
		r.span("job", "job7", 1, 11, nil)
		assert.NoError(t, r.p.Shutdown(context.Background()))
		assert.Len(t, r.records(), 10_000)
		enriched := 0
		for _, record := range r.records() {
			if !record.TraceID().IsEmpty() {
				enriched++
			}
		}
		assert.Equal(t, 100, enriched, "it looks a last time")
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

// TestARefusedBatchIsNotHeld: its sender sends it again.
func TestARefusedBatchIsNotHeld(t *testing.T) {
	cfg := holdingConfig()
	cfg.DedupWindow = new(time.Minute)
	inBubble(t, cfg, func(t *testing.T, r *rig) {
		send := func() error {
			ld := batch(4, 0, withJob("absent"))
			withJob("-")(only(ld))
			return r.p.ConsumeLogs(t.Context(), ld)
		}
		r.answers(func(plog.Logs) error { return errors.New("busy") })
		assert.Error(t, send())
		assert.Error(t, send())
		r.answers(nil)
		assert.NoError(t, send())
		assert.NoError(t, send(), "all are duplicates")
		pass(hold)
		assert.Equal(t, map[string]int{"-": 1, "absent": 3}, r.jobs())
	})
}

// TestWhoIsNotHeld: what a later span cannot help.
func TestWhoIsNotHeld(t *testing.T) {
	inBubble(t, holdingConfig(), func(t *testing.T, r *rig) {
		r.span("job", "many", 3, 31, nil)
		r.span("job", "many", 4, 41, nil)
		for i := range 65 {
			r.span("job", "poisoned", 7, 70+i, nil)
		}
		for _, fill := range []func(plog.LogRecord){
			withJob("many"), withJob("poisoned"), withJob("none"), withJob(""), func(plog.LogRecord) {},
			func(record plog.LogRecord) { withJob("one")(record); record.SetTraceID(traceID) },
			func(record plog.LogRecord) {
				withJob("one")(record)
				record.Body().SetStr("trace_id=" + traceHex + " trace_id=" + otherTrace)
			},
		} {
			_, ok := r.send(fill)
			assert.True(t, ok)
		}
		assert.Zero(t, r.counted()["held"])
		// One of two keys may get a span yet.
		_, ok := r.send(func(record plog.LogRecord) { withJob("many")(record); record.Attributes().PutStr("rid", "r") })
		assert.False(t, ok)
		pass(hold)
		assert.Equal(t, int64(2), r.counted()["ambiguous"])
	})
}

// TestTheIndexComesBack: records are held while it is away.
func TestTheIndexComesBack(t *testing.T) {
	inBubble(t, holdingConfig(), func(t *testing.T, r *rig) {
		r.span("job", "one", 1, 11, nil)
		r.index.goAway(true)
		_, ok := r.send(withJob("one"))
		assert.False(t, ok)
		_, ok = r.send(func(plog.LogRecord) {})
		assert.True(t, ok)
		pass(3 * time.Second)
		r.index.goAway(false)
		pass(time.Second)
		require.Len(t, r.records(), 2)
		assert.Equal(t, [2]int{1, 11}, ids(r.records()[1]))
	})
}

func TestHalvesOfTraceIDsAreHeld(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, holdingConfig(), func(c *correlationindexextension.Config) { c.TraceIds = true })
		half := func(record plog.LogRecord) {
			record.SetTraceID(pcommon.TraceID{15: 1})
			record.SetSpanID(spanID)
			record.Body().SetStr("queued <one>")
		}
		_, ok := r.send(half)
		assert.False(t, ok)
		_, ok = r.send(func(record plog.LogRecord) { record.SetTraceID(pcommon.TraceID{15: 2}) })
		assert.False(t, ok)
		pass(time.Second)
		r.trace(traceOf(1), 1)
		pass(time.Second)
		require.Len(t, r.records(), 1)
		assert.Equal(t, traceOf(1), r.records()[0].TraceID())
		assert.Equal(t, spanID, r.records()[0].SpanID())
		pass(hold)
		assert.Len(t, r.records(), 2)
		assert.Equal(t, map[string]int64{
			"valid": 2, "held": 2, "resolved": 1, "released found": 1, "released deadline": 1, "witnesses": 1,
		}, r.counted())
	})
}
