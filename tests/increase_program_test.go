package tests

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/pmetric/pmetricotlp"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

// program is a process that counts things by an id and exports as an OpenTelemetry
// SDK does: cumulative, all streams at one time.
type program struct {
	resource  map[string]string
	counter   string // the name of a sum
	histogram string // that of a histogram with one bound, 1 s; or none
	id        string // the attribute that tells the streams apart
	streams   []*stream

	truth counts // of all that was ever counted
}

// counts is what a program or one of its streams counted.
type counts struct {
	things     int64
	fast, slow uint64 // each 0.25 s, and 2 s: their sums are exact
}

// stream is what a program counted of one id since the start.
type stream struct {
	*program
	id    string
	start pcommon.Timestamp
	counts
}

// begin makes the stream of a new id.
func (p *program) begin(id string) *stream {
	s := &stream{program: p, id: id}
	s.reset()
	p.streams = append(p.streams, s)
	return s
}

// restart forgets all streams, as a process that starts again with the same name.
func (p *program) restart() { p.streams = nil }

// reset makes a stream start again at 0.
func (s *stream) reset() { s.start, s.counts = now(), counts{} }

// end makes a stream come no more.
func (s *stream) end() {
	kept := s.program.streams[:0]
	for _, other := range s.program.streams {
		if other != s {
			kept = append(kept, other)
		}
	}
	s.program.streams = kept
}

// count counts more of an id.
func (s *stream) count(more counts) {
	s.add(more)
	s.truth.add(more)
}

func (c *counts) add(more counts) {
	c.things += more.things
	c.fast += more.fast
	c.slow += more.slow
}

func now() pcommon.Timestamp { return pcommon.NewTimestampFromTime(time.Now()) }

// export sends streams to collectors, in one request each.
func (p *program) export(t *testing.T, streams []*stream, to []*collectortest.Collector) {
	t.Helper()
	metrics := pmetric.NewMetrics()
	rm := metrics.ResourceMetrics().AppendEmpty()
	for key, value := range p.resource {
		rm.Resource().Attributes().PutStr(key, value)
	}
	all := rm.ScopeMetrics().AppendEmpty().Metrics()
	sum := all.AppendEmpty()
	sum.SetName(p.counter)
	sum.SetEmptySum().SetIsMonotonic(true)
	sum.Sum().SetAggregationTemporality(pmetric.AggregationTemporalityCumulative)
	time := now()
	for _, s := range streams {
		dp := sum.Sum().DataPoints().AppendEmpty()
		dp.Attributes().PutStr(p.id, s.id)
		dp.SetStartTimestamp(s.start)
		dp.SetTimestamp(time)
		dp.SetIntValue(s.things)
	}
	if p.histogram != "" {
		histogram := all.AppendEmpty()
		histogram.SetName(p.histogram)
		histogram.SetUnit("s")
		histogram.SetEmptyHistogram().SetAggregationTemporality(pmetric.AggregationTemporalityCumulative)
		for _, s := range streams {
			dp := histogram.Histogram().DataPoints().AppendEmpty()
			dp.Attributes().PutStr(p.id, s.id)
			dp.SetStartTimestamp(s.start)
			dp.SetTimestamp(time)
			dp.ExplicitBounds().FromRaw([]float64{1})
			dp.BucketCounts().FromRaw([]uint64{s.fast, s.slow})
			dp.SetCount(s.fast + s.slow)
			dp.SetSum(s.seconds())
		}
	}
	body, err := pmetricotlp.NewExportRequestFromMetrics(metrics).MarshalProto()
	require.NoError(t, err)
	for _, c := range to {
		require.Equal(t, http.StatusOK, post(t, c, "/v1/metrics", body, ""), fmt.Sprint(p.resource))
	}
}

func (c counts) seconds() float64 { return 0.25*float64(c.fast) + 2*float64(c.slow) }
