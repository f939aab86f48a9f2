// SPDX-License-Identifier: Apache-2.0

package prometheuspageexporter

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"
)

// A batch from a clock that is ahead does not keep later points off the page.
func TestPointsOfTheFuture(t *testing.T) {
	day := pcommon.Timestamp(24 * time.Hour)
	for name, ahead := range map[string]func(now pcommon.Timestamp) (start, at pcommon.Timestamp){
		"start is right":  func(now pcommon.Timestamp) (start, at pcommon.Timestamp) { return now - 1000, now + day },
		"start is ahead":  func(now pcommon.Timestamp) (start, at pcommon.Timestamp) { return now + day - 1000, now + day },
		"start is at":     func(now pcommon.Timestamp) (start, at pcommon.Timestamp) { return now + day, now + day },
		"start not known": func(now pcommon.Timestamp) (start, at pcommon.Timestamp) { return 0, now + day },
		"largest time":    func(now pcommon.Timestamp) (start, at pcommon.Timestamp) { return now - 1000, math.MaxUint64 },
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, nil)
			send := func(value int64, start, at pcommon.Timestamp) {
				t.Helper()
				s.consume(t, metrics(func(all pmetric.MetricSlice) { addTimed(all, value, start, at) }))
				time.Sleep(time.Millisecond) // after the time of arrival
			}
			now := func() pcommon.Timestamp { return pcommon.NewTimestampFromTime(time.Now()) }
			last := now()
			time.Sleep(time.Millisecond)
			honest := func(value int64) {
				t.Helper()
				at := now()
				send(value, last, at)
				last = at
			}
			assertShown := func(latest, total int) {
				t.Helper()
				var got []string
				for _, line := range s.lines(t, "timed") {
					name, _, _ := strings.Cut(line, "{")
					if _, value, ok := strings.Cut(line, "} "); ok && !strings.HasSuffix(name, "_bucket") && !strings.HasSuffix(name, "_sum") {
						got = append(got, name+" "+value)
					}
				}
				assert.ElementsMatch(t, []string{
					fmt.Sprint("timed_gauge ", latest), fmt.Sprint("timed_cumulative_total ", latest), fmt.Sprint("timed_histogram_count ", latest),
					fmt.Sprint("timed_exponential_count ", latest), fmt.Sprint("timed_summary_count ", latest),
					fmt.Sprint("timed_delta_total ", total), fmt.Sprint("timed_delta_histogram_count ", total), fmt.Sprint("timed_delta_exponential_count ", total),
				}, got)
			}
			honest(1)
			assertShown(1, 1)
			start, at := ahead(now())
			send(9, start, at)
			assertShown(9, 10)
			last = now() // the sender's next point covers the time after it
			time.Sleep(time.Millisecond)
			total := 1 + 9
			for value := 2; value < 7; value++ {
				honest(int64(value))
				total += value
				assertShown(value, total)
			}
		})
	}
}

// addTimed adds a point of each type.
func addTimed(all pmetric.MetricSlice, value int64, start, at pcommon.Timestamp) {
	add := func(name string) pmetric.Metric {
		m := all.AppendEmpty()
		m.SetName("timed_" + name)
		return m
	}
	p := add("gauge").SetEmptyGauge().DataPoints().AppendEmpty()
	p.SetStartTimestamp(start)
	p.SetTimestamp(at)
	p.SetIntValue(value)
	summary := add("summary").SetEmptySummary().DataPoints().AppendEmpty()
	summary.SetStartTimestamp(start)
	summary.SetTimestamp(at)
	summary.SetCount(uint64(value))
	for _, kind := range []struct {
		sum, histogram, exponential string
		temporality                 pmetric.AggregationTemporality
	}{
		{"cumulative", "histogram", "exponential", pmetric.AggregationTemporalityCumulative},
		{"delta", "delta_histogram", "delta_exponential", pmetric.AggregationTemporalityDelta},
	} {
		sum := add(kind.sum).SetEmptySum()
		sum.SetIsMonotonic(true)
		sum.SetAggregationTemporality(kind.temporality)
		p := sum.DataPoints().AppendEmpty()
		p.SetStartTimestamp(start)
		p.SetTimestamp(at)
		p.SetIntValue(value)
		histogram := add(kind.histogram).SetEmptyHistogram()
		histogram.SetAggregationTemporality(kind.temporality)
		h := histogram.DataPoints().AppendEmpty()
		h.SetStartTimestamp(start)
		h.SetTimestamp(at)
		h.SetCount(uint64(value))
		h.ExplicitBounds().FromRaw([]float64{1})
		h.BucketCounts().FromRaw([]uint64{uint64(value), 0})
		exponential := add(kind.exponential).SetEmptyExponentialHistogram()
		exponential.SetAggregationTemporality(kind.temporality)
		e := exponential.DataPoints().AppendEmpty()
		e.SetStartTimestamp(start)
		e.SetTimestamp(at)
		e.SetCount(uint64(value))
		e.SetZeroCount(uint64(value))
	}
}
