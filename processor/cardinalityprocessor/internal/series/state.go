// SPDX-License-Identifier: Apache-2.0

package series

import (
	"fmt"
	"slices"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-tc/otelcol-tc/internal/attrhash"
	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor/internal/plan"
)

// State is the part of a Store that survives a restart. Package gob encodes it.
type State struct {
	Rules      string // a hash of the settings that identities depend on
	Seed       uint64
	Started    int64 // the beginning of epoch 1, in nanoseconds since 1970
	Since      pcommon.Timestamp
	Watermarks map[int]watermark
	Metrics    []savedMetric
	Services   []savedService
	Sources    []savedSource
	Look       uint32 // the number of the last one
	Missed     uint32
}

type savedMetric struct {
	State   metricState
	Service attrhash.Hash
	Plan    plan.Input
	Series  []entry
	Look    uint32
	Streams *StreamsState // nil if the metric has no streams
}

type savedService struct {
	ID      attrhash.Hash
	Name    string
	Values  [][]entry // by the index of the limited attribute
	Audited bool      // its outputs were never sent
}

type savedSource struct {
	ID, Service attrhash.Hash
	Last        lastLook
}

// StreamsState is the state of a metric's streams and outputs. Points encodes the last
// values of the streams and then the totals of the outputs, as a metric of a Type.
type StreamsState struct {
	Type        pmetric.MetricType
	Temporality Temporality
	Source      uint64
	Streams     []streamState
	Intervals   []intervals // of deltas, by the index of the stream
	Outputs     []outputState
	Points      []byte
}

// State returns the state of a Store that is no longer in use. Streams returns the state of
// a metric's Streams of a type. Metrics whose names are too long to be stored are left out.
func (s *Store) State(rules string, streams func(kind pmetric.MetricType, streams any) (*StreamsState, error)) (*State, error) {
	state := &State{
		Rules: rules, Seed: s.Seed, Started: s.Started.UnixNano(), Since: s.since,
		Watermarks: s.watermarks.state(), Look: s.looks.Load(), Missed: s.missed.last(),
	}
	for key, known := range s.sources.All() {
		if key.generation == s.generation.Load() {
			state.Sources = append(state.Sources, savedSource{key.id, known.service.id, known.lastLook})
		}
	}
	for _, owner := range s.services.All() {
		saved := savedService{ID: owner.id, Name: owner.name}
		for i := range owner.values {
			saved.Values = append(saved.Values, owner.values[i].entries())
		}
		state.Services = append(state.Services, saved)
	}
	for _, m := range s.metrics.All() {
		if m.Plan().Input.Name == "" {
			continue
		}
		saved := savedMetric{State: m.metricState, Service: m.service.id, Plan: m.Plan().Input, Series: m.series.entries(), Look: m.look.Load()}
		if m.streams != nil {
			var err error
			if saved.Streams, err = streams(m.streams.metricType(), m.streams); err != nil {
				return nil, err
			}
		}
		state.Metrics = append(state.Metrics, saved)
	}
	return state, nil
}

// State returns the state of the streams and outputs without their values. It calls value
// with each value in the order of StreamsState.Points.
func (t *Streams[T, M]) State(value func(*T)) *StreamsState {
	state := &StreamsState{Type: t.Type, Temporality: t.Temporality, Source: t.source}
	for i := range t.streams {
		s := &t.streams[i]
		if s.Free {
			continue
		}
		state.Streams = append(state.Streams, s.streamState)
		if t.Temporality == Delta {
			state.Intervals = append(state.Intervals, t.intervals[i])
		}
		value(&s.last)
	}
	for i := range t.outputs {
		state.Outputs = append(state.Outputs, t.outputs[i].outputState)
		value(&t.outputs[i].total)
	}
	return state
}

// SetModes records which services are audited.
func (s *State) SetModes(audited func(service string) bool) {
	for i := range s.Services {
		s.Services[i].Audited = audited(s.Services[i].Name)
	}
}

// KeepModes removes the services whose mode is another one now, and returns how many those are. What an audited
// service's series counted was never sent, so they start anew. Nothing that was counted before may count again:
// new series begin now, and no look proves that a stream is new.
func (s *State) KeepModes(now time.Time, audited func(service string) bool) (removed int) {
	changed := map[attrhash.Hash]bool{}
	for _, saved := range s.Services {
		if saved.Audited != audited(saved.Name) {
			changed[saved.ID] = true
		}
	}
	if len(changed) == 0 {
		return 0
	}
	s.Services = slices.DeleteFunc(s.Services, func(saved savedService) bool { return changed[saved.ID] })
	s.Metrics = slices.DeleteFunc(s.Metrics, func(m savedMetric) bool { return changed[m.Service] })
	s.Since, s.Sources = pcommon.NewTimestampFromTime(now), nil
	return len(changed)
}

// Restore creates the metrics and services of a state, even if they exceed the budgets.
// Limited is the number of limited attributes. Streams restores the Streams of a metric.
func (s *Store) Restore(state *State, plans *plan.Planner, limited int, streams func(*Metric, *StreamsState) error) error {
	s.Seed, s.Started = state.Seed, time.Unix(0, state.Started)
	s.since = state.Since
	s.watermarks.set(state.Watermarks)
	s.looks.Store(state.Look)
	s.missed.set(state.Missed)
	names, modes := map[attrhash.Hash]string{}, map[attrhash.Hash]bool{}
	for _, saved := range state.Services {
		names[saved.ID], modes[saved.ID] = saved.Name, saved.Audited
	}
	for i := range state.Metrics {
		saved := &state.Metrics[i]
		by := Planned{plans.Restore(saved.Plan), modes[saved.Service]}
		m := newMetric(saved.State, by, s.joinService(saved.Service, names[saved.Service]))
		m.look.Store(saved.Look)
		if err := m.restore(saved, streams); err != nil {
			return fmt.Errorf("metric %s: %w", m.Plan().Metric, err)
		}
		s.metrics.Store(m.ID, m)
	}
	for _, saved := range state.Sources {
		if owner, ok := s.services.Load(saved.Service); ok {
			owner.charge(sourceBytes)
			s.sources.Store(sourceKey{saved.ID, plans.Generation}, &source{service: owner, lastLook: saved.Last})
		}
	}
	for _, saved := range state.Services {
		if owner, ok := s.services.Load(saved.ID); ok && len(saved.Values) == limited {
			owner.values = make([]table, limited)
			for i, values := range saved.Values {
				owner.values[i].restore(values)
				owner.charge(len(values) * valueBytes)
			}
		}
	}
	return nil
}

func (m *Metric) restore(saved *savedMetric, streams func(*Metric, *StreamsState) error) error {
	if m.Departed != nil {
		if err := m.Departed.validate(); err != nil {
			return err
		}
		m.service.charge(m.Departed.bytes())
	}
	outputs := 0
	if saved.Streams != nil {
		outputs = len(saved.Streams.Outputs)
	}
	if int(m.Overflow) > outputs || slices.ContainsFunc(saved.Series, func(e entry) bool { return int(e.Ref) > outputs }) {
		return fmt.Errorf("a series must belong to one of %d outputs", outputs)
	}
	if saved.Streams != nil {
		if err := streams(m, saved.Streams); err != nil {
			return err
		}
	}
	m.series.restore(saved.Series)
	if m.OfService {
		m.service.overflows.Add(1)
	}
	m.bytes = metricBytes
	m.service.chargeMetric(int(m.bytes) + len(saved.Series)*seriesBytes)
	m.service.series.Add(int64(len(saved.Series)))
	return nil
}

// Restore creates the streams and outputs of a state, and charges their memory to the
// metric's service. Value reads the value with an index in StreamsState.Points.
func (t *Streams[T, M]) Restore(state *StreamsState, value func(int, *T) bool) error {
	owner := t.metric.service
	t.source = state.Source
	t.outputs = make([]Output[T], len(state.Outputs))
	for i, saved := range state.Outputs {
		o := &t.outputs[i]
		o.outputState = saved
		if !value(len(state.Streams)+i, &o.total) {
			return fmt.Errorf("output %d: its point is malformed", i)
		}
		if o.Free {
			t.freeOutputs = append(t.freeOutputs, uint32(i))
			continue
		}
		o.bytes = uint32(outputBytes[T, M](&o.total))
		owner.charge(int(o.bytes))
	}
	if t.Temporality == Delta && len(state.Intervals) != len(state.Streams) {
		return fmt.Errorf("must have the intervals of %d streams (got %d)", len(state.Streams), len(state.Intervals))
	}
	for i, saved := range state.Streams {
		if int(saved.Output) >= len(t.outputs) || saved.Free || t.outputs[saved.Output].Free {
			return fmt.Errorf("stream %d: must have one of %d outputs (got %d)", i, len(t.outputs), saved.Output)
		}
		index, ok := t.addStream(saved.ID, saved.Output)
		if !ok {
			return fmt.Errorf("stream %d: must have another identity than the streams before it", i)
		}
		s := &t.streams[index]
		s.streamState = saved
		if t.Temporality == Delta {
			t.intervals[index] = state.Intervals[i]
		}
		if !s.Stale {
			t.outputs[saved.Output].live++
		}
		if !value(i, &s.last) {
			return fmt.Errorf("stream %d: its point is malformed", i)
		}
		s.bytes = uint32(t.streamBytes(&s.last))
		owner.charge(int(s.bytes))
		owner.streams.Add(1)
	}
	return nil
}
