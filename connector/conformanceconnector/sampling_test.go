package conformanceconnector

import (
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-tc/otelcol-tc/connector/conformanceconnector/internal/report"
)

// sampled is a state with room for few traces, and the spans that it was sent.
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

// send sends a span of each trace, which is a root or not.
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
	s.judgeTraces(tr.td)
	s.sent += int64(len(ids))
}

func (s *sampled) some(n int) (ids []pcommon.TraceID) {
	for range n {
		ids = append(ids, s.ids())
	}
	return ids
}

// All that came is judged or told not to be.
func (s *sampled) report() *report.Report {
	s.judgeAll()
	r := s.now()
	a := serviceOf(s.t, r, "a")
	assert.Equal(s.t, s.sent, a.Spans+a.Unjudged+a.Late)
	s.assertNoneWait(s.t)
	return r
}

// More traces than there is room for, whose spans come apart: those that are judged are
// whole, so that nobody is blamed.
func TestSampledTracesAreWhole(t *testing.T) {
	s := newSampled(t)
	ids := s.some(3000)
	for i := 0; i < len(ids); i += 100 {
		s.send(ids[i:i+100], true)
		if i >= 500 { // those of a while ago
			s.send(ids[i-500:i-400], false)
		}
	}
	r := s.report()
	assert.Zero(t, totalOf(r, report.RuleMissingParent.ID))
	assert.Greater(t, r.OneIn, 4)
	assert.Greater(t, serviceOf(t, r, "a").Spans, int64(20))
}

// When there is room again more traces are judged, and those that began before are not
// blamed for the spans that were not kept.
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

		// Now all are.
		time.Sleep(time.Minute)
		before := serviceOf(t, r, "a").Spans
		ids := s.some(50)
		s.send(ids, true)
		s.send(ids, false)
		assert.Equal(t, before+100, serviceOf(t, s.report(), "a").Spans)
	})
}

// What is found of those that are judged stands for all, within the error of a sample.
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

// Few traces with many spans are not what sampling helps with.
func TestFewTracesAreNotSampled(t *testing.T) {
	s := newSampled(t)
	ids := s.some(10)
	for range 200 {
		s.send(ids, true)
	}
	assert.Equal(t, 1, s.now().OneIn)
}
