package tests

import (
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/pmetric/pmetricotlp"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

// program is a process that counts things by an id and exports as an OpenTelemetry
// SDK does: cumulative, all streams of one time.
type program struct {
	namespace, service, instance string

	counter   string         // name of a sum
	histogram string         // name of a histogram of seconds, or none
	key       string         // of the attribute that tells the streams apart
	kept      map[string]any // attributes that the streams have in common
	streams   []*stream

	truth counts // all that was ever counted
}

// stream is what a program counted of one id since the stream's start.
type stream struct {
	program *program
	id      string
	start   pcommon.Timestamp
	counts  counts
}

// counts are what was counted: things, and what took 0.25 s or 2 s, of which the
// sums are exact.
type counts struct {
	things     int64
	fast, slow uint64
}

func (c *counts) add(more counts) {
	c.things += more.things
	c.fast += more.fast
	c.slow += more.slow
}

func (c counts) seconds() float64 { return 0.25*float64(c.fast) + 2*float64(c.slow) }

// begin makes the stream of a new id.
func (p *program) begin(id string) *stream {
	s := &stream{program: p, id: id}
	s.startAgain()
	p.streams = append(p.streams, s)
	return s
}

// restart forgets all streams, as a new process with the same identity does.
func (p *program) restart() { p.streams = nil }

// startAgain makes a stream count from 0.
func (s *stream) startAgain() { s.start, s.counts = timestamp(), counts{} }

// end makes a stream come no more.
func (s *stream) end() {
	s.program.streams = slices.DeleteFunc(s.program.streams, func(other *stream) bool { return other == s })
}

func (s *stream) count(more counts) {
	s.counts.add(more)
	s.program.truth.add(more)
}

func (s *stream) describe(attrs pcommon.Map) {
	_ = attrs.FromRaw(s.program.kept) // strings
	attrs.PutStr(s.program.key, s.id)
}

func timestamp() pcommon.Timestamp { return pcommon.NewTimestampFromTime(time.Now()) }

// export sends streams in one request to each collector.
func (p *program) export(t *testing.T, streams []*stream, to ...*collectortest.Collector) {
	t.Helper()
	body, err := pmetricotlp.NewExportRequestFromMetrics(p.metrics(streams)).MarshalProto()
	require.NoError(t, err)
	for _, c := range to {
		require.Equal(t, http.StatusOK, post(t, c, "/v1/metrics", body, ""), p.instance)
	}
}

func (p *program) metrics(streams []*stream) pmetric.Metrics {
	metrics, end := pmetric.NewMetrics(), timestamp()
	rm := metrics.ResourceMetrics().AppendEmpty()
	if p.namespace != "" {
		rm.Resource().Attributes().PutStr("service.namespace", p.namespace)
	}
	rm.Resource().Attributes().PutStr("service.name", p.service)
	rm.Resource().Attributes().PutStr("service.instance.id", p.instance)
	all := rm.ScopeMetrics().AppendEmpty().Metrics()

	counter := all.AppendEmpty()
	counter.SetName(p.counter)
	sum := counter.SetEmptySum()
	sum.SetIsMonotonic(true)
	sum.SetAggregationTemporality(pmetric.AggregationTemporalityCumulative)
	for _, s := range streams {
		dp := sum.DataPoints().AppendEmpty()
		s.describe(dp.Attributes())
		dp.SetStartTimestamp(s.start)
		dp.SetTimestamp(end)
		dp.SetIntValue(s.counts.things)
	}
	if p.histogram == "" {
		return metrics
	}
	durations := all.AppendEmpty()
	durations.SetName(p.histogram)
	durations.SetUnit("s")
	histogram := durations.SetEmptyHistogram()
	histogram.SetAggregationTemporality(pmetric.AggregationTemporalityCumulative)
	for _, s := range streams {
		dp := histogram.DataPoints().AppendEmpty()
		s.describe(dp.Attributes())
		dp.SetStartTimestamp(s.start)
		dp.SetTimestamp(end)
		dp.ExplicitBounds().FromRaw([]float64{1})
		dp.BucketCounts().FromRaw([]uint64{s.counts.fast, s.counts.slow})
		dp.SetCount(s.counts.fast + s.counts.slow)
		dp.SetSum(s.counts.seconds())
	}
	return metrics
}
