// SPDX-License-Identifier: Apache-2.0

package page

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-tc/otelcol-tc/exporter/prometheuspageexporter/internal/labels"
	"github.com/otelcol-tc/otelcol-tc/exporter/prometheuspageexporter/internal/sample"
)

var someTime = time.Unix(1_750_000_000, 0)

// sender has its own labels.
type sender struct{ set *labels.Set }

func newSender(hasher labels.Hasher) *sender {
	return &sender{labels.NewSet(labels.NewNames(), hasher)}
}

func (s *sender) point(name string, kind dto.MetricType, series, lines int) *Point {
	s.set.Reset()
	s.set.AddOwn("series", fmt.Sprint(series, strings.Repeat("x", series)))
	return &Point{Name: name, Kind: kind, Key: s.set.Seal(), Labels: s.set, Shape: Shape{Lines: lines}}
}

func (s *sender) put(p *Page, point *Point, now time.Time, increment int64) sample.Reason {
	return p.Put(point, now, func(stream *sample.Stream) (*dto.Metric, sample.Reason) {
		dp := pmetric.NewNumberDataPoint()
		dp.SetIntValue(max(increment, 1))
		dp.SetTimestamp(pcommon.NewTimestampFromTime(now))
		if increment > 0 {
			return stream.Counter(dp, pmetric.AggregationTemporalityDelta, pcommon.NewTimestampFromTime(now))
		}
		return stream.Counter(dp, pmetric.AggregationTemporalityCumulative, pcommon.NewTimestampFromTime(now))
	})
}

// check recounts what the page counts.
func check(t *testing.T, p *Page) {
	t.Helper()
	var used cost
	shown, hidden, targets := 0, 0, 0
	for name, f := range p.families {
		require.NotEmpty(t, f.series)
		require.Equal(t, name, f.name)
		used.add(f.cost)
		for key, s := range f.series {
			require.Equal(t, key, s.key)
			require.Same(t, f, s.family)
			used.add(s.cost)
			if s.target != (labels.Key{}) {
				require.Same(t, s, p.targets[s.target])
				targets++
			}
			if s.at < 0 {
				hidden++
				require.True(t, s.stream.IsDelta())
				continue
			}
			shown++
			require.Same(t, s, f.shown[s.at])
			require.NotNil(t, s.metric)
		}
	}
	require.Equal(t, used, p.used)
	require.Equal(t, shown, p.shown)
	require.Equal(t, hidden, p.hidden)
	require.Len(t, p.targets, targets)
	require.LessOrEqual(t, used.memory, p.limits.Memory)
	require.LessOrEqual(t, used.text, p.limits.Text)
}

// For random calls, the page counts correctly and stays within its limits.
func TestRandomHistories(t *testing.T) {
	kinds := []dto.MetricType{dto.MetricType_COUNTER, dto.MetricType_HISTOGRAM, dto.MetricType_GAUGE, dto.MetricType_SUMMARY}
	for seed := range uint64(60) {
		random := rand.New(rand.NewPCG(seed, 3))
		p := New(Limits{Memory: 20_000 + random.Int64N(100_000), Text: 5_000 + random.Int64N(50_000)}, time.Minute)
		s := newSender(labels.NewHasher())
		now := someTime
		for range 300 {
			now = now.Add(time.Duration(random.IntN(20)) * time.Second)
			name := "name" + []string{"", "_sum", "_count", "_bucket"}[random.IntN(4)] + fmt.Sprint(random.IntN(3))[:random.IntN(2)]
			point := s.point(name, kinds[random.IntN(len(kinds))], random.IntN(20), 1+random.IntN(5))
			switch random.IntN(10) {
			case 0:
				p.Remove(point)
			case 1:
				p.Expire(now)
			case 2:
				p.Target(s.set.Identify(fmt.Sprint(random.IntN(3))), s.set.Seal(), s.set, now)
			case 3:
				now = now.Add(time.Duration(random.IntN(90)) * time.Minute)
			default:
				s.put(p, point, now, int64(random.IntN(3)))
			}
			check(t, p)
		}
		p.Expire(now.Add(2 * time.Hour))
		p.Expire(now.Add(2 * time.Hour))
		check(t, p)
		require.Zero(t, p.used)
		families, err := p.Gather()
		require.NoError(t, err)
		require.Empty(t, families)
	}
}

// The sum of deltas continues when its series returns, unless its memory was needed.
func TestHiddenSumsContinue(t *testing.T) {
	p := New(Limits{Memory: 5000, Text: 1 << 20}, time.Minute)
	s := newSender(labels.NewHasher())
	shown := func() string {
		families, err := p.Gather()
		require.NoError(t, err)
		var all []string
		for _, f := range families {
			for _, m := range f.GetMetric() {
				all = append(all, fmt.Sprint(m.GetCounter().GetValue()))
			}
		}
		return strings.Join(all, " ")
	}
	first := func() *Point { return s.point("first", dto.MetricType_COUNTER, 1, 1) }
	require.Equal(t, sample.Shown, s.put(p, first(), someTime, 5))
	assert.Equal(t, 1, p.Expire(someTime.Add(2*time.Minute)))
	assert.Empty(t, shown())
	require.Equal(t, sample.Shown, s.put(p, first(), someTime.Add(3*time.Minute), 2))
	assert.Equal(t, "7", shown())
	p.Expire(someTime.Add(10 * time.Minute))
	for i := 10; s.put(p, s.point("second", dto.MetricType_GAUGE, i, 1), someTime.Add(10*time.Minute), 0) == sample.Shown; i++ {
		require.Less(t, i, 100)
	}
	require.Equal(t, sample.Limit, s.put(p, first(), someTime.Add(11*time.Minute), 2), "it gave its place")
	check(t, p)
}

// Senders, scrapes and expiration run concurrently.
func TestAtOneTime(t *testing.T) {
	p := New(Limits{Memory: 1 << 24, Text: 1 << 24}, time.Hour)
	hasher := labels.NewHasher()
	const senders, rounds = 8, 500
	var all sync.WaitGroup
	for i := range senders {
		all.Go(func() {
			s := newSender(hasher)
			for round := range rounds {
				now := someTime.Add(time.Duration(round) * time.Second)
				assert.Equal(t, sample.Shown, s.put(p, s.point("total", dto.MetricType_COUNTER, i, 1), now, 1))
				s.put(p, s.point("churn", dto.MetricType_COUNTER, round%5, 1), now, 0)
				p.Remove(s.point("churn", dto.MetricType_COUNTER, (round+1)%5, 1))
				p.Target(s.set.Identify("target"), s.point("", 0, round%3, 1).Key, s.set, now)
				if round%50 == i {
					_, err := p.Gather()
					assert.NoError(t, err)
					p.Expire(now)
				}
			}
		})
	}
	all.Wait()
	check(t, p)
	for _, series := range p.families["total"].series {
		assert.EqualValues(t, rounds, series.metric.GetCounter().GetValue())
	}
	assert.Len(t, p.families["total"].series, senders)
}
