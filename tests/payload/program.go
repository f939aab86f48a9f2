// SPDX-License-Identifier: Apache-2.0

package payload

import (
	"net/http"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/pmetric/pmetricotlp"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

// Program is a process that counts things by an id and exports as an OpenTelemetry
// SDK does: cumulative, all streams of one time.
type Program struct {
	namespace, Service, Instance string

	Counter   string         // name of a sum
	histogram string         // name of a histogram of seconds, or none
	Key       string         // of the attribute that tells the streams apart
	kept      map[string]any // attributes that the streams have in common
	Streams   []*Stream

	Truth Counts // all that was ever counted
}

// Stream is what a program counted of one id since the stream's start.
type Stream struct {
	program *Program
	id      string
	start   pcommon.Timestamp
	counts  Counts
}

// Counts are what was counted: things, and what took 0.25 s or 2 s, whose sums are exact.
type Counts struct {
	Things     int64
	Fast, Slow uint64
}

func (c *Counts) add(more Counts) {
	c.Things += more.Things
	c.Fast += more.Fast
	c.Slow += more.Slow
}

// Seconds returns the sum of all durations.
func (c Counts) Seconds() float64 { return 0.25*float64(c.Fast) + 2*float64(c.Slow) }

// Begin makes the stream of a new id.
func (p *Program) Begin(id string) *Stream {
	s := &Stream{program: p, id: id}
	s.StartAgain()
	p.Streams = append(p.Streams, s)
	return s
}

// Restart forgets all streams, as a new process with the same identity does.
func (p *Program) Restart() { p.Streams = nil }

// StartAgain makes a stream count from 0.
func (s *Stream) StartAgain() { s.start, s.counts = Timestamp(), Counts{} }

// End makes a stream come no more.
func (s *Stream) End() {
	s.program.Streams = slices.DeleteFunc(s.program.Streams, func(other *Stream) bool { return other == s })
}

// Count adds to the counts of the stream, and to the truth.
func (s *Stream) Count(more Counts) {
	s.counts.add(more)
	s.program.Truth.add(more)
}

func (s *Stream) describe(attrs pcommon.Map) {
	_ = attrs.FromRaw(s.program.kept) // strings
	attrs.PutStr(s.program.Key, s.id)
}

// Export sends streams in one request to each collector.
func (p *Program) Export(t *testing.T, streams []*Stream, to ...*collectortest.Collector) {
	t.Helper()
	body, err := pmetricotlp.NewExportRequestFromMetrics(p.metrics(streams)).MarshalProto()
	require.NoError(t, err)
	for _, c := range to {
		require.Equal(t, http.StatusOK, collectortest.Post(t, c, "/v1/metrics", body, ""), p.Instance)
	}
}

func (p *Program) metrics(streams []*Stream) pmetric.Metrics {
	metrics, end := pmetric.NewMetrics(), Timestamp()
	rm := metrics.ResourceMetrics().AppendEmpty()
	if p.namespace != "" {
		rm.Resource().Attributes().PutStr("service.namespace", p.namespace)
	}
	rm.Resource().Attributes().PutStr("service.name", p.Service)
	rm.Resource().Attributes().PutStr("service.instance.id", p.Instance)
	all := rm.ScopeMetrics().AppendEmpty().Metrics()

	counter := all.AppendEmpty()
	counter.SetName(p.Counter)
	sum := counter.SetEmptySum()
	sum.SetIsMonotonic(true)
	sum.SetAggregationTemporality(pmetric.AggregationTemporalityCumulative)
	for _, s := range streams {
		dp := sum.DataPoints().AppendEmpty()
		s.describe(dp.Attributes())
		dp.SetStartTimestamp(s.start)
		dp.SetTimestamp(end)
		dp.SetIntValue(s.counts.Things)
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
		dp.BucketCounts().FromRaw([]uint64{s.counts.Fast, s.counts.Slow})
		dp.SetCount(s.counts.Fast + s.counts.Slow)
		dp.SetSum(s.counts.Seconds())
	}
	return metrics
}

// NewStore returns an instance of TensorCast's store, which counts by artifact.
func NewStore(instance string) *Program {
	return &Program{
		namespace: "tensorcast", Service: "tensorcast-store-daemon", Instance: instance,
		Counter: "tc_replica_register_total", histogram: "tc_artifact_load_seconds", Key: "artifact_id",
		kept: map[string]any{"tc.location": "gpu"},
	}
}
