package cardinalityprocessor

import (
	"fmt"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-tc/otelcol-tc/conventions"
)

// trackerState is a tracker as a snapshot holds it. What points measured is kept
// as points: of a metric in OTLP's encoding, first those of the streams.
type trackerState struct {
	Type        pmetric.MetricType
	Temporality temporality
	Streams     []streamState
	Outputs     []outputState
	Points      []byte
}

type streamState struct {
	ID                   [2]uint64
	Output, Seen, Others uint32
	Rule                 rule
	Native, Known, Stale bool
	Returned             bool
	Start, Time          pcommon.Timestamp
}

type outputState struct {
	Merged, Overflow, Emitted, Removed bool
	Owed                               bool
	Check                              uint64
	First                              pcommon.Timestamp
	Start, Time                        pcommon.Timestamp
}

// save takes a tracker apart.
func save[D point, T any, M measurement[T]](t *tracker[T, M], kind *kind[D, T, M]) *trackerState {
	md := pmetric.NewMetrics()
	m := md.ResourceMetrics().AppendEmpty().ScopeMetrics().AppendEmpty().Metrics().AppendEmpty()
	kind.empty(m)
	points := kind.points(m)
	s := &trackerState{Type: m.Type(), Temporality: t.temporality}
	if t.gauge {
		s.Type = pmetric.MetricTypeGauge
	}
	for i := range t.streams {
		from := &t.streams[i]
		if from.removed {
			continue
		}
		s.Streams = append(s.Streams, streamState{
			ID: words(from.id), Output: from.output, Seen: from.seen, Others: from.others, Rule: from.rule,
			Native: from.native, Returned: from.returned, Known: from.known, Stale: from.stale, Start: from.start, Time: from.time,
		})
		kind.write(&from.last, points.AppendEmpty())
	}
	for i := range t.outputs {
		o := &t.outputs[i]
		s.Outputs = append(s.Outputs, outputState{
			Merged: o.merged, Overflow: o.overflow, Emitted: o.emitted, Removed: o.gone, Check: o.check, Owed: o.owed, First: o.first, Start: o.start, Time: o.time,
		})
		kind.write(&o.total, points.AppendEmpty())
	}
	var err error
	if s.Points, err = (&pmetric.ProtoMarshaler{}).MarshalMetrics(md); err != nil {
		panic(err) // memory always has a form
	}
	return s
}

// load makes a tracker again, and charges a service for it.
func load[D point, T any, M measurement[T]](s *trackerState, kind *kind[D, T, M], of *service, how conventions.GaugeAggregate) (tracked, error) {
	md, err := (&pmetric.ProtoUnmarshaler{}).UnmarshalMetrics(s.Points)
	if err != nil {
		return nil, err
	}
	if md.MetricCount() != 1 {
		return nil, fmt.Errorf("must have the points of one metric (got %d)", md.MetricCount())
	}
	points := kind.points(md.ResourceMetrics().At(0).ScopeMetrics().At(0).Metrics().At(0))
	if points.Len() != len(s.Streams)+len(s.Outputs) {
		return nil, fmt.Errorf("must have a point for each stream and output (got %d)", points.Len())
	}
	t := newTracker(kind, s.Type, s.Temporality, how)
	for i, from := range s.Outputs {
		index := t.addOutput(from.Start)
		o := &t.outputs[index]
		o.check, o.owed, o.first = from.Check, from.Owed, from.First
		o.merged, o.overflow, o.emitted, o.gone, o.time = from.Merged, from.Overflow, from.Emitted, from.Removed, from.Time
		if !kind.read(&o.total, points.At(len(s.Streams)+i)) {
			return nil, fmt.Errorf("output %d is malformed", i)
		}
		if o.gone {
			t.freeOutputs = append(t.freeOutputs, index)
			continue
		}
		o.bytes = uint32(outputBytes[T, M](&o.total))
		of.charge(int(o.bytes))
	}
	for i, from := range s.Streams {
		if int(from.Output) >= len(t.outputs) {
			return nil, fmt.Errorf("stream %d has no output", i)
		}
		index, ok := t.addStream(hashOf(from.ID), from.Output)
		if !ok {
			return nil, fmt.Errorf("stream %d comes twice", i)
		}
		to := &t.streams[index]
		to.seen, to.others, to.rule, to.native, to.known = from.Seen, from.Others, from.Rule, from.Native, from.Known
		to.returned = from.Returned
		to.start, to.time = from.Start, from.Time
		if to.stale = from.Stale; !to.stale {
			t.outputs[from.Output].live++
		}
		if !kind.read(&to.last, points.At(i)) {
			return nil, fmt.Errorf("stream %d is malformed", i)
		}
		to.bytes = uint32(streamBytes(t, M(&to.last).Bytes()))
		of.charge(int(to.bytes))
		of.streams.Add(1)
	}
	return t, nil
}

// restore makes the tracker again, and charges a service for it.
func (s *trackerState) restore(of *service, how conventions.GaugeAggregate) (tracked, error) {
	switch s.Type {
	case pmetric.MetricTypeGauge:
		return load(s, gauges, of, how)
	case pmetric.MetricTypeSum:
		return load(s, sums, of, how)
	case pmetric.MetricTypeHistogram:
		return load(s, histograms, of, how)
	case pmetric.MetricTypeExponentialHistogram:
		return load(s, exponentials, of, how)
	case pmetric.MetricTypeSummary:
		return load(s, summaries, of, how)
	default:
		return nil, fmt.Errorf("there are no points of type %s", s.Type)
	}
}
