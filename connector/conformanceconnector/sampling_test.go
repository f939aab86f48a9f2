// SPDX-License-Identifier: Apache-2.0

package conformanceconnector

import (
	"context"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-tc/otelcol-tc/connector/conformanceconnector/internal/report"
)

// sampled is a state with room for few traces, and counts the spans sent to it.
type sampled struct {
	*testState
	t    *testing.T
	sent int64
	ids  func() pcommon.TraceID
}

func newSampled(t *testing.T) *sampled {
	rng := newRand(1)
	return &sampled{newTestState(t, func(c *Config) { c.MaxTraces, c.MaxSpans, c.Window = 200, 500, time.Second }), t, 0,
		func() pcommon.TraceID { return newTraceID(rng) }}
}

// send sends one span of each trace. It is a root span or a child.
func (s *sampled) send(ids []pcommon.TraceID, root bool) {
	tr := newTree(newRand(2))
	for _, id := range ids {
		tr.trace = id
		parent, self := pcommon.SpanID{}, pcommon.SpanID{1}
		if !root {
			parent, self = pcommon.SpanID{1}, pcommon.SpanID{2}
		}
		tr.span("a", "A/Do", ptrace.SpanKindInternal, parent, 0, 1).SetSpanID(self)
	}
	s.judgeTraces(context.Background(), tr.td)
	s.sent += int64(len(ids))
}

func (s *sampled) some(n int) (ids []pcommon.TraceID) {
	for range n {
		ids = append(ids, s.ids())
	}
	return ids
}

// report judges all traces and returns the report. Each span must be counted as judged or not.
func (s *sampled) report() *report.Report {
	s.judgeAll()
	r := s.now()
	a := serviceOf(s.t, r, "a")
	assert.Equal(s.t, s.sent, a.Spans+a.Unjudged+a.Late)
	s.assertNoneWait(s.t)
	return r
}

// TestSampledTracesAreWhole sends the spans of too many traces in separate batches. Judged traces must be
// complete, so that no service is blamed.
func TestSampledTracesAreWhole(t *testing.T) {
	s := newSampled(t)
	ids := s.some(3000)
	for i := 0; i < len(ids); i += 100 {
		s.send(ids[i:i+100], true)
		if i >= 500 { // the second span of an earlier trace
			s.send(ids[i-500:i-400], false)
		}
	}
	r := s.report()
	assert.Zero(t, totalOf(r, report.RuleMissingParent.ID))
	assert.Greater(t, r.OneIn, 4)
	assert.Greater(t, serviceOf(t, r, "a").Spans, int64(20))
}

// TestSamplingEnds checks that more traces are judged once there is room, and that traces that began
// before are not blamed for spans that were not kept.
func TestSamplingEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSampled(t)
		s.send(s.some(3000), true)
		assert.Greater(t, s.now().OneIn, 1)
		for s.now().OneIn > 1 {
			ids := s.some(40)
			s.send(ids[:20], true) // which may be the first too many
			last := s.now().OneIn
			time.Sleep(3 * s.config.Window)
			s.sweep(time.Now())
			assert.Equal(t, last/2, s.now().OneIn, "one step at a time")
			s.send(ids[:20], false)
			s.send(ids[20:], true)
			s.send(ids[20:], false)
		}
		r := s.report()
		assert.Zero(t, totalOf(r, report.RuleMissingParent.ID))

		// Now all traces are judged.
		time.Sleep(time.Minute)
		before := serviceOf(t, r, "a").Spans
		ids := s.some(50)
		s.send(ids, true)
		s.send(ids, false)
		assert.Equal(t, before+100, serviceOf(t, s.report(), "a").Spans)
	})
}

// TestSampleStandsForAll checks that the findings of the sample represent all traces, within the error of
// a sample.
func TestSampleStandsForAll(t *testing.T) {
	s := newSampled(t)
	const broken = 0.3
	rng := newRand(5)
	for range 400 {
		for _, id := range s.some(100) {
			s.send([]pcommon.TraceID{id}, rng.Float64() >= broken)
		}
		s.sweep(time.Now().Add(s.config.Window / 2))
	}
	r := s.report()
	judged := float64(serviceOf(t, r, "a").Spans)
	assert.Greater(t, judged, 100.0)
	share := float64(totalOf(r, report.RuleMissingParent.ID)) / judged
	assert.InDelta(t, broken, share, 4*math.Sqrt(broken*(1-broken)/judged), "of %v", judged)
}

// TestFewTracesAreNotSampled sends few traces with many spans, for which sampling does not help.
func TestFewTracesAreNotSampled(t *testing.T) {
	s := newSampled(t)
	ids := s.some(10)
	for range 200 {
		s.send(ids, true)
	}
	assert.Equal(t, 1, s.now().OneIn)
}
