// SPDX-License-Identifier: Apache-2.0

package cardinalityprocessor

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/processor/processortest"

	"github.com/otelcol-tc/otelcol-tc/conventions"
	"github.com/otelcol-tc/otelcol-tc/internal/policy"
	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor/internal/identity"
	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor/internal/series"
	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor/internal/snapshot"
	"github.com/otelcol-tc/otelcol-tc/tests/pipetest"
	"github.com/otelcol-tc/otelcol-tc/tests/soak"
)

// newTestProcessor returns a processor that drops the attribute id. Without packs it has one that knows no
// metrics.
func newTestProcessor(t testing.TB, change func(*Config), packs ...any) *cardinalityProcessor {
	cfg := createDefaultConfig().(*Config)
	cfg.DropAttributes = []string{"id"}
	if change != nil {
		change(cfg)
	}
	require.NoError(t, cfg.Validate())
	p, err := newProcessor(processortest.NewNopSettings(NewFactory().Type()), cfg)
	require.NoError(t, err)
	rules := policy.NewDefaultConfig()
	rules.Mode = cmp.Or(cfg.Mode, rules.Mode)
	if len(packs) == 0 {
		packs = []any{"pytango"}
	}
	for _, pack := range loaded(t, packs) {
		if pack.Owner != nil {
			rules.Owners = append(rules.Owners, pack.System)
		}
	}
	loadedPolicy := policy.Of(*rules, loaded(t, packs))
	if _, test := t.(*testing.T); test {
		loadedPolicy.Costs().Claim() // the explorer must change no output
	}
	require.NoError(t, p.goBy(pipetest.HostOf(policy.NewLive(loadedPolicy))))
	backdate(t, p)
	return p
}

// loadedPacks has the packs that loaded returned, by their setting.
var loadedPacks sync.Map

// loaded returns packs, which are loaded once.
func loaded(t testing.TB, setting []any) []*conventions.Pack {
	key := fmt.Sprint(setting)
	if known, ok := loadedPacks.Load(key); ok {
		return known.([]*conventions.Pack)
	}
	packs, err := conventions.Load(setting)
	require.NoError(t, err)
	loadedPacks.Store(key, packs)
	return packs
}

// backdate lets a processor have started an hour ago, so that the seconds of a test are in the
// past.
func backdate(t testing.TB, p *cardinalityProcessor) {
	began := p.store.Started.Add(-time.Hour)
	state := &series.State{Seed: p.store.Seed, Started: began.UnixNano(), Since: pcommon.NewTimestampFromTime(began)}
	require.NoError(t, p.store.Restore(state, nil, 0, nil)) // without metrics there are no plans
}

// histories is the number of random histories; TC_HISTORIES overrides it.
func histories(t *testing.T) uint64 {
	return uint64(soak.Count(t, "TC_HISTORIES", 4000))
}

// playAll plays a share of the histories, with settings by seed. Restart, which may be nil,
// returns a new processor with the state of an old one.
func playAll(t *testing.T, stream, share uint64, change func(seed uint64, cfg *Config), restart func(before, after *cardinalityProcessor)) {
	for seed := range histories(t) / share {
		kind := kindsOfMetrics[seed%uint64(len(kindsOfMetrics))]
		start := func() *cardinalityProcessor {
			return newTestProcessor(t, func(cfg *Config) {
				cfg.Overrides = []OverridesItem{{Metric: "*", Summary: summaryFold}}
				change(seed, cfg)
			})
		}
		p := start()
		end := func() { require.NoError(t, p.shutdown(t.Context())) }
		next := func(before *cardinalityProcessor) *cardinalityProcessor {
			if restart == nil {
				return before
			}
			after := start()
			restart(before, after)
			end()
			p = after
			return after
		}
		h := newHistory(rand.New(rand.NewPCG(seed, stream)), kind, p.store.Started)
		h.instances = p.config.ServiceLimit < 10
		h.once = p.store.Memory.Limit < 1<<14
		if err := conserves(p, h, next); err != nil {
			t.Fatalf("seed %d, %s: %v", seed, kind.name, err)
		}
		end()
	}
}

// TestConservation checks that the values that are sent come out once: for each output
// series the increments of its input series equal its own.
func TestConservation(t *testing.T) {
	playAll(t, 0, 1, func(_ uint64, cfg *Config) { cfg.Limit = 1000 }, nil)
}

// TestConservationPastLimit checks the same past a limit, for all series of a metric
// together.
func TestConservationPastLimit(t *testing.T) {
	playAll(t, 1, 4, func(seed uint64, cfg *Config) {
		cfg.Limit = 1
		if seed%2 == 0 {
			cfg.DropAttributes = nil
		}
	}, nil)
}

// TestConservationOfServices checks the same past service_limit, for all instances of a service
// together, over restarts.
func TestConservationOfServices(t *testing.T) {
	playAll(t, 4, 4, func(seed uint64, cfg *Config) {
		cfg.ServiceLimit = 1 + int(seed%3)
		if seed%2 == 0 {
			cfg.DropAttributes = nil
		}
	}, func(before, after *cardinalityProcessor) { copySeries(t, before, after) })
}

// TestConservationWithoutMemory checks that nothing is lost and nothing counts twice when
// memory is used up. Cumulative streams that are not tracked may count less.
func TestConservationWithoutMemory(t *testing.T) {
	playShort := func(stream uint64, limit func(seed uint64) int64) {
		for seed := range histories(t) / 4 {
			kind := kindsOfMetrics[seed%uint64(len(kindsOfMetrics))]
			if !kind.monotonic && kind.temporality != pmetric.AggregationTemporalityDelta {
				continue // untracked streams share one that has the latest value
			}
			if kind.kind == pmetric.MetricTypeExponentialHistogram && kind.temporality == pmetric.AggregationTemporalityCumulative {
				continue // without memory to grow they are downscaled, which the oracle cannot compare
			}
			p := newTestProcessor(t, func(cfg *Config) {
				if seed%2 == 0 {
					cfg.DropAttributes = nil
				}
			})
			p.store.Memory.Limit = limit(seed)
			h := newHistory(rand.New(rand.NewPCG(seed, stream)), kind, p.store.Started)
			h.once, h.instances = true, seed%3 == 0
			if err := conserves(p, h, func(p *cardinalityProcessor) *cardinalityProcessor { return p }); err != nil {
				t.Fatalf("seed %d, %s: %v", seed, kind.name, err)
			}
			require.NoError(t, p.shutdown(t.Context()))
		}
	}
	playShort(5, func(uint64) int64 { return 0 })
	playShort(6, func(seed uint64) int64 { return int64(500 + seed%4000) })
}

// TestConservationOverRestarts checks that a restart with a snapshot changes nothing.
func TestConservationOverRestarts(t *testing.T) {
	playAll(t, 3, 4, func(seed uint64, cfg *Config) {
		if seed%3 == 0 {
			cfg.Limit = 1
		}
	}, func(before, after *cardinalityProcessor) {
		copySeries(t, before, after)
		require.Equal(t, before.user.Current().hash, after.user.Current().hash)
		series, streams := before.store.Counts()
		restored, restoredStreams := after.store.Counts()
		require.Equal(t, series, restored)
		require.Equal(t, streams, restoredStreams)
	})
}

// copySeries copies the series of a processor to another one through a snapshot.
func copySeries(t *testing.T, from, to *cardinalityProcessor) {
	t.Helper()
	state, err := snapshot.Save(from.store, from.user.Current().hash)
	require.NoError(t, err)
	data, err := snapshot.Encode(state)
	require.NoError(t, err)
	state, err = snapshot.Decode(data)
	require.NoError(t, err)
	require.NoError(t, snapshot.Load(to.store, state, to.user.Current().plans, len(to.config.AttributeLimits)))
	data, err = from.tracker.Encode()
	require.NoError(t, err)
	if data != nil {
		require.NoError(t, to.tracker.Decode(data, time.Now()))
	}
}

// play is the state of a history that is being played.
type play struct {
	*history
	began               pcommon.Timestamp
	dropped, limited    bool
	short               bool // of memory: cumulative streams may count less
	in, out             map[string]*reader
	into                map[string]string // stream → the series that it is part of
	merged              map[string]bool   // series that others were merged into
	wrong               map[string]bool   // points with a wrong time were sent as they came
	sentLines, gotLines []string          // for the report
}

// conserves plays a history and compares after each batch. It restarts the
// processor at random.
func conserves(p *cardinalityProcessor, h *history, restart func(*cardinalityProcessor) *cardinalityProcessor) error {
	c := &play{
		history: h, began: pcommon.NewTimestampFromTime(p.store.Started),
		dropped: len(p.config.DropAttributes) > 0, limited: p.config.Limit == 1 || p.config.ServiceLimit < 10 || p.store.Memory.Limit < 1<<14,
		short: p.store.Memory.Limit < 1<<14,
		in:    map[string]*reader{}, out: map[string]*reader{}, into: map[string]string{}, merged: map[string]bool{}, wrong: map[string]bool{},
	}
	for range 8 {
		for _, batch := range h.batches(h.step()) {
			if h.IntN(4) == 0 {
				p = restart(p)
			}
			md := h.request(batch)
			c.sent(md)
			if _, err := p.process(context.Background(), md); err != nil && md.ResourceMetrics().Len() > 0 {
				return err
			}
			if err := c.got(md); err != nil {
				return err
			}
			if err := c.compare(); err != nil {
				return err
			}
		}
	}
	return nil
}

// sent records the input.
func (c *play) sent(md pmetric.Metrics) {
	for _, point := range receive(md) {
		c.sentLines = append(c.sentLines, fmt.Sprint(point))
		r := c.in[point.series]
		if r == nil {
			r = &reader{kind: c.kind, since: c.began}
			c.in[point.series] = r
			c.into[point.series] = point.series
			if c.dropped {
				c.into[point.series] = point.without("id")
			}
		}
		c.putRight(r, point)
		if r.read(point) && c.into[point.series] != point.series {
			c.merged[c.into[point.series]] = true
		}
	}
}

// got records the output of one batch, and checks each point of merged series.
func (c *play) got(md pmetric.Metrics) error {
	points := map[string]int{}
	for _, point := range receive(md) {
		c.gotLines = append(c.gotLines, fmt.Sprint(point))
		if _, ok := point.attributes["id"]; ok && c.dropped {
			return c.fault(fmt.Errorf("kept an id: %v", point))
		}
		r := c.out[point.series]
		if r == nil {
			r = &reader{kind: c.kind, since: c.began, from: true}
			// A merged series counts from its start, which is before the processor's when
			// its first point is.
			if native := c.in[point.series]; c.merged[point.series] && (native == nil || native.start != point.start) {
				r.since = 0
			}
			c.out[point.series] = r
		}
		c.putRight(r, point)
		before := *r
		r.read(point)
		if point.attributes[identity.OverflowKey] != true && !c.merged[point.series] {
			c.wrong[point.series] = c.wrong[point.series] || point.time > c.ahead()
			continue
		}
		// After points with a wrong time were sent as they came, the series begins again.
		if c.wrong[point.series] {
			before = reader{}
			c.wrong[point.series] = point.stale
		}
		points[point.series]++
		if point.stale { // a stale marker follows the last value
			points[point.series] = 0
		}
		cumulative := c.kind.temporality == pmetric.AggregationTemporalityCumulative
		switch {
		case point.time <= before.time:
			return c.fault(fmt.Errorf("not in order: %v", point))
		case points[point.series] > 1:
			return c.fault(fmt.Errorf("two points of one batch: %v", point))
		case point.time > c.ahead():
			return c.fault(fmt.Errorf("in the future: %v", point))
		case !before.known || point.stale:
		case c.kind.temporality == pmetric.AggregationTemporalityDelta && point.start != before.time:
			return c.fault(fmt.Errorf("a gap or an overlap: %v after %v", point, before.time))
		case cumulative && point.start != before.start && c.short: // an untracked stream was sent as it came before
		case cumulative && point.start != before.start:
			return c.fault(fmt.Errorf("another start: %v after %v", point, before.start))
		case c.kind.monotonic && cumulative && decreased(point.is, before.last):
			return c.fault(fmt.Errorf("a decrease: %v after %v", point, before.last))
		}
	}
	return nil
}

// ahead returns the latest time that is not wrong. The histories took place an hour ago.
func (c *play) ahead() pcommon.Timestamp { return c.began + pcommon.Timestamp(2*time.Hour) }

// putRight lets a series begin again after points with a wrong time.
func (c *play) putRight(r *reader, next received) {
	if r.time > c.ahead() && next.time <= c.ahead() {
		r.time = 0
	}
}

func (c *play) fault(err error) error {
	return fmt.Errorf("%w\nsent:\n%s\ngot:\n%s", err, join(c.sentLines), join(c.gotLines))
}

func join(lines []string) (text string) {
	for _, line := range lines {
		text += "  " + line + "\n"
	}
	return text
}

// compare compares the input with the output by now: for each series, or past a limit for
// each metric.
func (c *play) compare() error {
	wants, gots := map[string][]vector{}, map[string][]vector{}
	group := func(series string) string {
		if c.limited {
			return "all"
		}
		return series
	}
	gauge := c.kind.kind == pmetric.MetricTypeGauge
	live := !c.kind.monotonic && c.kind.temporality != pmetric.AggregationTemporalityDelta
	newest := map[string]*reader{}
	for _, stream := range sorted(c.in) {
		r := c.in[stream]
		g := group(c.into[stream])
		switch {
		case !r.known:
		case gauge:
			if !r.stale && (newest[g] == nil || newest[g].time < r.time) {
				newest[g] = r
			}
		case live:
			if !r.stale {
				wants[g] = append(wants[g], r.last)
			}
		default:
			wants[g] = append(wants[g], r.total)
		}
	}
	if gauge {
		if c.limited {
			return nil // the order of the points decides which gauge of the overflow is newest
		}
		for g, r := range newest {
			wants[g] = []vector{r.last}
		}
	}
	for series, r := range c.out {
		switch {
		case !r.known:
		case live:
			if !r.stale {
				gots[group(series)] = append(gots[group(series)], r.last)
			}
		default:
			gots[group(series)] = append(gots[group(series)], r.total)
		}
	}
	for g := range wants {
		want, got := sumOf(wants[g]), sumOf(gots[g])
		if len(got) == 0 {
			if zero(want) {
				continue
			}
			return c.fault(fmt.Errorf("no output of %s, want %v", g, want))
		}
		for key, value := range got {
			if w, ok := want[key]; ok && c.short && c.kind.temporality != pmetric.AggregationTemporalityDelta && (value <= w || key == "sum") {
				continue
			} else if ok && math.Abs(w-value) > 1e-6*max(1, math.Abs(w)) {
				return c.fault(fmt.Errorf("%s of %s is %v, want %v", key, g, got, want))
			}
		}
	}
	return nil
}

func zero(v vector) bool {
	for _, value := range v {
		if value != 0 {
			return false
		}
	}
	return true
}
