package conformanceconnector

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// Whatever comes at one time, each span is judged, late or not judged, and no room is
// lost.
func TestConcurrentBatches(t *testing.T) {
	const senders, batches, spans = 4, 30, 300
	for _, most := range []int{50, 100_000} {
		s := newTestState(t, func(c *Config) { c.MaxTraces, c.MaxSpans, c.Window = most, 4*most, time.Second })
		var ids []pcommon.TraceID
		for rng := newRand(1); len(ids) < 200; {
			ids = append(ids, newTraceID(rng))
		}
		var senderGroup, sweeper sync.WaitGroup
		for n := range senders {
			senderGroup.Go(func() {
				rng := newRand(uint64(n))
				for range batches {
					tr := newTree(rng)
					for range spans {
						// Few traces are in several batches, and most in one.
						tr.trace = newTraceID(rng)
						if rng.IntN(3) == 0 {
							tr.trace = ids[rng.IntN(len(ids))]
						}
						tr.span("a", "A/Do", ptrace.SpanKindInternal, none, 0, 1)
					}
					s.traces(tr.td)
				}
			})
		}
		stop := make(chan struct{})
		sweeper.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					s.judgeAll()
				}
			}
		})
		senderGroup.Wait()
		close(stop)
		sweeper.Wait()
		s.judgeAll()
		a := s.now().service(t, "a")
		assert.EqualValues(t, senders*batches*spans, a.Spans+a.Unjudged+a.Late)
		assert.Positive(t, a.Spans)
		assert.Zero(t, s.window.traces.Load())
		assert.Zero(t, s.window.spans.Load())
		for i := range s.window.shards {
			shard := &s.window.shards[i]
			assert.Equal(t, len(shard.done), shard.traces.count)
			assert.LessOrEqual(t, len(shard.done), shard.mostDone)
		}
	}
}

// A full table counts what it knows of names that were made conformant, and the rest
// together.
func TestRenamedOfAFullTable(t *testing.T) {
	s := newTestState(t, func(c *Config) { c.MaxFindings = 2 })
	send := func(name, original string) {
		tr := newTree(newRand(1))
		tr.span("a", name, ptrace.SpanKindInternal, none, 0, 1).Attributes().PutStr("tc.original_name", original)
		s.traces(tr.td)
	}
	send("Module/DoIt", "module.do_it")
	send("Module/DoMore", "module.do_more")
	send("Module/DoLess", "module.do_less")
	s.verdicts = newVerdicts() // as when it is flooded
	s.generation++
	send("Module/DoIt", "module.do_it")
	send("Module/DoLess", "module.do_less")
	r := s.now()
	assert.EqualValues(t, 5, r.by(ruleRenamed.id))
	counts := map[string]int64{}
	for _, f := range r.Findings {
		counts[f.Original] = f.Total
	}
	assert.Equal(t, map[string]int64{"module.do_it": 2, "module.do_more": 1, "other": 2}, counts)
}
