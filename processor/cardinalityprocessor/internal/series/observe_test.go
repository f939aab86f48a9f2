// SPDX-License-Identifier: Apache-2.0

package series

import (
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-tc/otelcol-tc/conventions/glob"
	"github.com/otelcol-tc/otelcol-tc/internal/aggregate"
	"github.com/otelcol-tc/otelcol-tc/internal/attrhash"
	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor/internal/identity"
	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor/internal/plan"
)

// fixture has one metric in a store.
type fixture[T any, M Measurement[T]] struct {
	t       *testing.T
	store   *Store
	metric  *Metric
	streams *Streams[T, M]
	batch   Batch
}

type (
	number    = aggregate.Number
	histogram = aggregate.Histogram
	summary   = aggregate.Summary
)

func newFixture[T any, M Measurement[T]](t *testing.T, of pmetric.MetricType, how Temporality, settings Settings, rules plan.Settings) *fixture[T, M] {
	settings.MaxStale = time.Minute
	f := &fixture[T, M]{t: t, store: New(settings, 1<<20)}
	f.store.Started = f.store.Started.Add(-time.Hour)
	f.store.since = pcommon.NewTimestampFromTime(f.store.Started)
	made := plan.New(nil, rules).Restore(plan.Input{Name: "m"})
	f.metric = f.store.Add(attrhash.Hash{Lo: 1}, made, Service{Name: "s"})
	require.NotNil(t, f.metric)
	f.streams = StreamsOf[T, M](f.metric, of, how)
	f.batch.OfService = func(create bool) *Metric { return f.store.OfService(attrhash.Hash{Lo: 2}, f.metric, create) }
	f.store.Begin(&f.batch)
	return f
}

// ids are settings that drop the attribute id.
var ids = plan.Settings{Limit: 10, Drop: []string{"id"}}

// dropped are settings that drop the attribute id, and summaries that have it.
var dropped = func() plan.Settings {
	drop, settings := true, ids
	settings.Overrides = []plan.Override{{Metric: glob.New("*"), DropSummary: &drop}}
	return settings
}()

// counters returns a fixture of cumulative sums.
func counters(t *testing.T, settings Settings, rules plan.Settings) *fixture[number, *number] {
	return newFixture[number](t, pmetric.MetricTypeSum, Cumulative, settings, rules)
}

// observe returns the outcome of a point as the truth table writes it.
func (f *fixture[T, M]) observe(attrs string, seconds int, change func(*Point[T])) string {
	p := Point[T]{Attributes: pcommon.NewMap(), Start: 1, Time: pcommon.NewTimestampFromTime(f.store.Started.Add(time.Duration(seconds) * time.Second))}
	for pair := range strings.FieldsSeq(attrs) {
		key, value, _ := strings.Cut(pair, "=")
		p.Attributes.PutStr(key, value)
		if value == "true" {
			p.Attributes.PutBool(key, true)
		}
	}
	p.ID = identity.Of(f.store.Seed, p.Attributes, f.metric.Plan.Keys)
	if change != nil {
		change(&p)
	}
	before, untracked := f.batch.Dropped, f.batch.Untracked
	outcome := f.streams.Observe(&f.batch, &p)
	reason := ""
	for r := range Reasons {
		if f.batch.Dropped[r] != before[r] {
			reason = r.String()
		}
	}
	if outcome == Drop && f.batch.Untracked != untracked {
		reason = "untracked"
	}
	switch index, ok := outcome.output(); {
	case outcome == Keep:
		return "keep"
	case outcome == OfService:
		return "service: " + p.Rule.String()
	case outcome == Drop:
		return "drop (" + reason + ")"
	case !ok:
		return "no outcome"
	case outcome&late != 0:
		return "late"
	case outcome&malformed != 0:
		return "malformed"
	case f.streams.outputs[index].Overflow:
		return "output: overflow"
	case reason != "":
		return "output, counted " + reason
	default:
		return "output"
	}
}

// look begins a batch that has all streams of a source, or not.
func (f *fixture[T, M]) look(complete bool) {
	if f.batch.look != nil {
		f.store.EndLook(&f.batch, f.batch.look)
	}
	f.batch.At(nil)
	if complete {
		l := f.store.Look(&f.batch, attrhash.Hash{Lo: 7}, true)
		l.Add(f.metric, Cumulative, 0, 0)
		f.batch.At(l)
	}
}

// add observes a point of a cumulative sum and returns what it adds, as the truth table
// writes it. Each value in a test is greater than what could be added otherwise.
func (f *fixture[T, M]) add(start, seconds, value int) string {
	t := any(f.streams).(*Numbers)
	total := func() (n int) {
		for i := range t.outputs {
			n += int(t.outputs[i].total.Float())
		}
		return n
	}
	before := total()
	f.observe("id=1", seconds, func(p *Point[T]) {
		p.Start = pcommon.NewTimestampFromTime(f.store.Started.Add(time.Duration(start) * time.Second))
		any(&p.Value).(*number).Set(&number{Bits: uint64(value)})
	})
	switch total() - before {
	case 0:
		return "nothing"
	case value:
		return "value"
	default:
		return "increment"
	}
}

// emit ends the batch and returns the outputs that were sent.
func (f *fixture[T, M]) emit() []Sent {
	for _, index := range f.streams.Touched {
		f.streams.Emit(&f.batch, index)
	}
	f.streams.Done(&f.batch)
	return f.batch.Sent
}

// malformedPoint makes a point malformed.
func malformedPoint[T any](p *Point[T]) { p.Malformed = true }

// truths has a function for each row of the truth table, by the first three columns. It
// returns the outcome.
var truths = map[string]func(*testing.T) string{
	"known, any, malformed, attributes unchanged": func(t *testing.T) string {
		f := counters(t, Settings{}, ids)
		f.observe("route=a", 10, nil)
		return f.observe("route=a", 20, malformedPoint)
	},
	"known, any, malformed, attributes changed": func(t *testing.T) string {
		f := counters(t, Settings{}, ids)
		f.observe("route=a id=1", 10, nil)
		return f.observe("route=a id=1", 20, malformedPoint)
	},
	"known, no memory to grow, larger than the stream's last": func(t *testing.T) string {
		f := newFixture[histogram](t, pmetric.MetricTypeHistogram, Cumulative, Settings{}, ids)
		f.observe("id=1", 10, nil)
		f.store.Memory.Limit = 0
		dp := pmetric.NewHistogramDataPoint()
		dp.ExplicitBounds().FromRaw([]float64{1, 2, 3})
		dp.BucketCounts().FromRaw([]uint64{1, 0, 0, 0})
		dp.SetCount(1)
		return f.observe("id=1", 20, func(p *Point[histogram]) { require.True(t, p.Value.Read(dp)) })
	},
	"known, merged, its last point was refused, late": func(t *testing.T) string {
		f := counters(t, Settings{}, ids)
		f.observe("id=1", 10, nil)
		require.Zero(t, TakeBack(f.emit()))
		return f.observe("id=1", 10, nil)
	},
	"known, any, late, attributes unchanged": func(t *testing.T) string {
		f := counters(t, Settings{}, ids)
		f.observe("route=a", 10, nil)
		return f.observe("route=a", 10, nil)
	},
	"known, any, late, attributes changed": func(t *testing.T) string {
		f := counters(t, Settings{}, ids)
		f.observe("id=1", 10, nil)
		return f.observe("id=1", 9, nil)
	},
	"known, any, newer, with a value or a stale marker": func(t *testing.T) string {
		f := counters(t, Settings{}, ids)
		f.observe("id=1", 10, nil)
		require.Equal(t, "output", f.observe("id=1", 15, func(p *Point[number]) { p.Stale = true }))
		return f.observe("id=1", 20, nil)
	},
	"known, any, delta, not newer, no repetition": func(t *testing.T) string {
		f := newFixture[number](t, pmetric.MetricTypeSum, Delta, Settings{}, ids)
		at := func(start, time int) string {
			return f.observe("id=1", time, func(p *Point[number]) { p.Start = pcommon.Timestamp(start) })
		}
		at(0, 1)
		at(2, 3)
		require.Equal(t, "drop (late)", at(2, 3))
		defer func() { require.Equal(t, "drop (late)", at(1, 2)) }()
		return at(1, 2)
	},
	"new, overflow series of an SDK, well-formed": func(t *testing.T) string {
		return counters(t, Settings{}, ids).observe(identity.OverflowKey+"=true", 10, nil)
	},
	"new, no memory, plan drops nothing, any, within the limit": func(t *testing.T) string {
		f := counters(t, Settings{}, plan.Settings{Limit: 2})
		f.store.Memory.Limit = 0
		require.Equal(t, "keep", f.observe("a=1", 10, malformedPoint))
		require.Equal(t, "keep", f.observe("a=2", 10, nil))
		require.Equal(t, "output: overflow", f.observe("a=3", 10, nil))
		f = counters(t, Settings{}, plan.Settings{Limit: 1})
		f.store.Memory.Limit = 0
		defer func() { assert.Equal(t, [Untrackeds]int64{UntrackedSent: 1}, f.batch.Untracked) }()
		return f.observe("a=1", 10, nil)
	},
	"new, no memory for the overflow output, any": func(t *testing.T) string {
		f := counters(t, Settings{}, ids)
		f.store.Memory.Limit, f.store.Memory.Reserve = 0, metricBytes+100
		require.Equal(t, "service: memory", f.observe("id=1", 10, nil))
		f = counters(t, Settings{}, ids)
		f.store.Memory.Limit, f.store.Memory.Reserve = 0, 0
		require.Equal(t, "keep", f.observe(identity.OverflowKey+"=true", 10, nil))
		return f.observe("id=1", 10, nil)
	},
	"new, known to the overflow of its service, any": func(t *testing.T) string {
		f := counters(t, Settings{ServiceLimit: 1}, ids)
		f.observe("a=1", 10, nil)
		require.Equal(t, "service: service_limit", f.observe("a=2 id=1", 10, nil))
		all := StreamsOf[number](f.store.Lock(f.batch.OfService(false)), pmetric.MetricTypeSum, Cumulative)
		p := Point[number]{Attributes: pcommon.NewMap(), Start: 1, Time: pcommon.NewTimestampFromTime(f.batch.Now), Rule: RuleServiceLimit}
		p.Attributes.PutStr("a", "2")
		p.Attributes.PutStr("id", "1")
		id := identity.Of(f.store.Seed, p.Attributes, f.metric.Plan.Keys)
		p.ID.Stream = f.metric.StreamOfService(&id)
		require.Equal(t, ofOutput, all.Observe(&f.batch, &p))
		f.store.Unlock(all.metric)
		f.store.ServiceLimit = 0
		require.Equal(t, "output", f.observe("a=2 id=2", 10, nil))
		return f.observe("a=2 id=1", 11, malformedPoint)
	},
	"new, refused by service_limit, any": func(t *testing.T) string {
		f := counters(t, Settings{ServiceLimit: 1}, ids)
		f.observe("a=1", 10, nil)
		return f.observe("a=2", 10, malformedPoint)
	},
	"new, refused by a budget, well-formed": func(t *testing.T) string {
		f := counters(t, Settings{}, plan.Settings{Limit: 1})
		f.observe("a=1", 10, nil)
		return f.observe("a=2", 10, nil)
	},
	"new, admitted, plan drops nothing, any, stream was not merged before": func(t *testing.T) string {
		f := counters(t, Settings{}, plan.Settings{Limit: 1})
		f.metric.Merged = 1 // as of that time
		require.Equal(t, "output", f.observe("a=1", 10, nil))
		f = counters(t, Settings{}, plan.Settings{Limit: 1})
		return f.observe("a=1", 10, malformedPoint)
	},
	"new, admitted, summaries are not merged, attributes unchanged": func(t *testing.T) string {
		return newFixture[summary](t, pmetric.MetricTypeSummary, Cumulative, Settings{}, dropped).observe("route=a", 10, nil)
	},
	"new, admitted, summaries are not merged, attributes changed": func(t *testing.T) string {
		return newFixture[summary](t, pmetric.MetricTypeSummary, Cumulative, Settings{}, dropped).observe("id=1", 10, nil)
	},
	"new, admitted, malformed, attributes unchanged": func(t *testing.T) string {
		return counters(t, Settings{}, ids).observe("route=a", 10, func(p *Point[number]) { p.Time = 0 })
	},
	"new, admitted or refused by a budget, malformed, attributes changed": func(t *testing.T) string {
		f := counters(t, Settings{}, plan.Settings{Limit: 1, Drop: []string{"id"}})
		f.observe("route=a id=1", 10, nil)
		require.Equal(t, "drop (malformed)", f.observe("route=b", 10, malformedPoint))
		return f.observe("route=a id=2", 20, malformedPoint)
	},
	"new, no memory for the stream, stale marker, attributes changed": func(t *testing.T) string {
		f := newFixture[number](t, pmetric.MetricTypeSum, Delta, Settings{}, ids)
		f.observe("id=1", 10, nil)
		f.store.Memory.Limit = 0
		return f.observe("id=2", 10, func(p *Point[number]) { p.Stale = true })
	},
	"new, no memory for the stream, with a value": func(t *testing.T) string {
		for how, want := range map[Temporality]Untracked{Delta: UntrackedCounted, Cumulative: UntrackedBaseline, Latest: UntrackedCounted} {
			f := newFixture[number](t, pmetric.MetricTypeSum, how, Settings{}, ids)
			f.observe("id=1", 10, nil)
			f.store.Memory.Limit = 0
			require.Equal(t, "output: overflow", f.observe("id=2 route=a", 10, nil))
			require.Equal(t, "output", f.observe("id=2", 11, nil))
			require.Equal(t, int64(2), f.batch.Untracked[want])
		}
		f := counters(t, Settings{}, ids)
		f.observe("id=1", 10, nil)
		f.store.Memory.Limit = 0
		return f.observe("id=2", 10, nil)
	},
	"new, admitted, well-formed": func(t *testing.T) string {
		return counters(t, Settings{}, ids).observe("id=1", 10, nil)
	},

	"new, it started after since and did not expire before": func(t *testing.T) string {
		f := counters(t, Settings{}, ids)
		f.add(1, 10, 5)
		f.metric.expire(^uint32(0))
		require.Equal(t, "nothing", f.add(1, 20, 7), "it expired")
		return counters(t, Settings{}, ids).add(1, 10, 5)
	},
	"new, a look proves the stream new": func(t *testing.T) string {
		f := counters(t, Settings{}, ids)
		f.look(true)
		f.look(true)
		defer func() { require.Equal(t, "increment", f.add(-10, 20, 7)) }()
		return f.add(-10, 10, 5)
	},
	"new, any other": func(t *testing.T) string {
		f := counters(t, Settings{}, ids)
		f.look(true) // the first look at the source
		return f.add(-10, 10, 5)
	},
	"known, another start, at or after the last value": func(t *testing.T) string {
		f := counters(t, Settings{}, ids)
		f.add(1, 10, 5)
		require.Equal(t, "value", f.add(10, 20, 7))
		f.observe("id=1", 30, func(p *Point[number]) { p.Stale = true })
		return f.add(25, 40, 9)
	},
	"known, not less than the last value, any earlier start": func(t *testing.T) string {
		f := counters(t, Settings{}, ids)
		f.add(5, 10, 5)
		require.Equal(t, "increment", f.add(6, 20, 7))
		return f.add(3, 30, 9)
	},
	"known, less than the last value, the same start": func(t *testing.T) string {
		f := counters(t, Settings{}, ids)
		f.add(5, 10, 5)
		return f.add(5, 20, 3)
	},
	"known, less than the last value, a later start before its time": func(t *testing.T) string {
		f := counters(t, Settings{}, ids)
		f.add(5, 10, 5)
		return f.add(7, 20, 3)
	},
	"known, less than the last value, an earlier start": func(t *testing.T) string {
		f := counters(t, Settings{}, ids)
		f.add(5, 10, 5)
		return f.add(3, 20, 3)
	},
	"known, the earlier one of two starts after such a decrease": func(t *testing.T) string {
		f := counters(t, Settings{}, ids)
		f.add(5, 10, 5)
		f.add(7, 20, 3)
		for i := range 5 {
			require.Equal(t, "nothing", f.add(5, 30+10*i, 9+i))
			require.Equal(t, "increment", f.add(7, 35+10*i, 4+i))
		}
		return f.add(5, 100, 50)
	},
}

// TestTruthTable checks each row of the truth table in doc.go.
func TestTruthTable(t *testing.T) {
	source, err := os.ReadFile("doc.go")
	require.NoError(t, err)
	played := 0
	for _, row := range regexp.MustCompile(`(?m)^//\t(known|new) .*$`).FindAllString(string(source), -1) {
		columns := regexp.MustCompile(`  +`).Split(strings.TrimPrefix(row, "//\t"), -1)
		last := len(columns) - 1
		name := strings.Join(columns[:last], ", ")
		t.Run(name, func(t *testing.T) {
			require.Contains(t, truths, name)
			assert.Equal(t, columns[last], truths[name](t))
		})
		played++
	}
	assert.Len(t, truths, played)
}
