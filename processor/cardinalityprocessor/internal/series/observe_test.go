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

func newFixture[T any, M Measurement[T]](t *testing.T, how Temporality, settings Settings, rules plan.Settings) *fixture[T, M] {
	settings.MaxStale = time.Minute
	f := &fixture[T, M]{t: t, store: New(settings, 1<<20)}
	made := plan.New(nil, rules).Restore(plan.Input{Name: "m"})
	f.metric = f.store.Add(attrhash.Hash{Lo: 1}, made, "", "s")
	require.NotNil(t, f.metric)
	f.streams = StreamsOf[T, M](f.metric, how, false)
	f.store.Begin(&f.batch)
	return f
}

// ids are settings that drop the attribute id.
var ids = plan.Settings{Limit: 10, Drop: []string{"id"}}

// counters returns a fixture of cumulative sums.
func counters(t *testing.T, settings Settings, rules plan.Settings) *fixture[number, *number] {
	return newFixture[number](t, Cumulative, settings, rules)
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
	before := f.batch.Dropped
	outcome := f.streams.Observe(&f.batch, &p)
	reason := ""
	for r := range Reasons {
		if f.batch.Dropped[r] != before[r] {
			reason = r.String()
		}
	}
	switch index, ok := outcome.output(); {
	case outcome == Keep:
		return "keep"
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

// emit ends the batch and returns the outputs that were sent.
func (f *fixture[T, M]) emit() []Sent {
	for _, index := range f.streams.Touched {
		f.streams.Emit(&f.batch, index)
	}
	f.streams.Done()
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
		f := newFixture[histogram](t, Cumulative, Settings{}, ids)
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
	"new, overflow series of an SDK, well-formed": func(t *testing.T) string {
		return counters(t, Settings{}, ids).observe(identity.OverflowKey+"=true", 10, nil)
	},
	"new, refused by a budget, on_overflow drop, any": func(t *testing.T) string {
		f := counters(t, Settings{DropOverflow: true}, plan.Settings{Limit: 1})
		f.observe("a=1", 10, nil)
		memory := counters(t, Settings{DropOverflow: true}, ids)
		memory.store.Memory.Limit = 0
		require.Equal(t, "drop (memory)", memory.observe("a=1", 10, nil))
		service := counters(t, Settings{DropOverflow: true, ServiceLimit: 1}, ids)
		service.observe("a=1", 10, nil)
		require.Equal(t, "drop (service_limit)", service.observe("a=2", 10, malformedPoint))
		return f.observe("a=2", 10, nil)
	},
	"new, refused by a budget, well-formed": func(t *testing.T) string {
		f := counters(t, Settings{}, plan.Settings{Limit: 1})
		f.observe("a=1", 10, nil)
		return f.observe("a=2", 10, nil)
	},
	"new, admitted, plan drops nothing, any, stream was not merged before": func(t *testing.T) string {
		f := counters(t, Settings{}, plan.Settings{Limit: 1})
		f.metric.merged = 1 // as of that time
		require.Equal(t, "output", f.observe("a=1", 10, nil))
		f = counters(t, Settings{}, plan.Settings{Limit: 1})
		return f.observe("a=1", 10, malformedPoint)
	},
	"new, admitted, summaries are not merged, attributes unchanged": func(t *testing.T) string {
		return newFixture[summary](t, Cumulative, Settings{}, ids).observe("route=a", 10, nil)
	},
	"new, admitted, summaries are not merged, attributes changed": func(t *testing.T) string {
		return newFixture[summary](t, Cumulative, Settings{}, ids).observe("id=1", 10, nil)
	},
	"new, admitted, malformed, attributes unchanged": func(t *testing.T) string {
		return counters(t, Settings{}, ids).observe("route=a", 10, func(p *Point[number]) { p.Time = 0 })
	},
	"new, admitted or refused by a budget, malformed, attributes changed": func(t *testing.T) string {
		f := counters(t, Settings{}, plan.Settings{Limit: 1, Drop: []string{"id"}})
		f.observe("route=a id=1", 10, nil)
		require.Equal(t, "drop (malformed)", f.observe("route=b", 10, malformedPoint))
		return f.observe("route=a id=2", 2*3600, nil)
	},
	"new, no memory for the stream, delta with a value": func(t *testing.T) string {
		f := newFixture[number](t, Delta, Settings{}, ids)
		f.observe("id=1", 10, nil)
		f.store.Memory.Limit = 0
		return f.observe("id=2", 10, nil)
	},
	"new, no memory for the stream, cumulative, gauge or stale marker": func(t *testing.T) string {
		f := newFixture[number](t, Delta, Settings{}, ids)
		f.observe("id=1", 10, nil)
		f.store.Memory.Limit = 0
		require.Equal(t, "drop (memory)", f.observe("id=2", 10, func(p *Point[number]) { p.Stale = true }))
		f = counters(t, Settings{}, ids)
		f.observe("id=1", 10, nil)
		f.store.Memory.Limit = 0
		return f.observe("id=2", 10, nil)
	},
	"new, admitted, well-formed": func(t *testing.T) string {
		return counters(t, Settings{}, ids).observe("id=1", 10, nil)
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

// TestKeeps checks that a known series without an output keeps its points.
func TestKeeps(t *testing.T) {
	f := counters(t, Settings{}, plan.Settings{Limit: 10})
	id := identity.Of(f.store.Seed, pcommon.NewMap(), f.metric.Plan.Keys)
	assert.False(t, f.metric.Keeps(&f.batch, &id))
	require.Equal(t, "keep", f.observe("", 10, nil))
	assert.True(t, f.metric.Keeps(&f.batch, &id))
	id.Limited = true
	assert.False(t, f.metric.Keeps(&f.batch, &id))
}

// TestDecide checks the final outcomes of an output's points at the end of the batch.
func TestDecide(t *testing.T) {
	f := counters(t, Settings{}, ids)
	f.observe("route=a", 10, nil)
	own := ofOutput
	assert.Equal(t, Keep, f.streams.Decide(&f.batch, 1, own))
	assert.Equal(t, Keep, f.streams.Decide(&f.batch, 1, own|late))
	f.observe("route=a id=1", 10, nil)
	assert.Equal(t, Keep, f.streams.Decide(&f.batch, 0, own))
	assert.Equal(t, Drop, f.streams.Decide(&f.batch, 1, own))
	assert.Equal(t, Drop, f.streams.Decide(&f.batch, 0, own|late))
	assert.Equal(t, Drop, f.streams.Decide(&f.batch, 0, own|malformed))
	assert.Equal(t, int64(1), f.batch.Dropped[DroppedLate])
	assert.Equal(t, int64(1), f.batch.Dropped[DroppedMalformed])
}
