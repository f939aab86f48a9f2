// SPDX-License-Identifier: Apache-2.0

package series

import (
	"fmt"
	"slices"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-tc/otelcol-tc/internal/attrhash"
	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor/internal/plan"
)

// State is the part of a Store that survives a restart. Snapshots of released versions
// contain the names of its fields and of their types' fields, so these must not change.
type State struct {
	Rules    string // a hash of the settings that identities depend on
	Seed     uint64
	Started  int64 // the beginning of epoch 0, in nanoseconds since 1970
	Since    pcommon.Timestamp
	Left     map[int]watermark
	Families []metricState
	Services []serviceState
	Looks    []lookState
	Look     uint32 // the number of the last one
	Missed   uint32
}

type lookState struct {
	ID, Service [2]uint64
	Last        lastLook
}

type metricState struct {
	ID       [2]uint64
	Service  [2]uint64
	Plan     plan.Input
	Since    pcommon.Timestamp
	Merged   pcommon.Timestamp
	Ended    pcommon.Timestamp
	Overflow uint32
	Departed *departed // nil if no stream expired
	Series   []entry
	Look     uint32
	Missed   uint32
	Beyond   bool          // it has the overflow series of its service
	Tracker  *StreamsState // nil if the metric has no streams
}

type serviceState struct {
	ID      [2]uint64
	Name    string
	Values  [][]entry // by the index of the limited attribute
	Audited bool      // its outputs were never sent
}

// StreamsState is the state of a metric's streams and outputs. Points encodes the last
// values of the streams and then the totals of the outputs, as a metric of a Type.
type StreamsState struct {
	Type        int32
	Temporality Temporality
	Streams     []streamState
	Outputs     []outputState
	Points      []byte
	Source      uint64
}

type streamState struct {
	ID                   [2]uint64
	Output, Seen, Others uint32
	Rule                 Rule
	Native, Known, Stale bool
	Returned, Shared     bool
	Intervals            []uint32 // the last ones of a delta
	Start, Time          pcommon.Timestamp
}

type outputState struct {
	Merged, Overflow, Emitted, Removed bool
	Owed, Waits                        bool
	Check                              uint64
	First                              pcommon.Timestamp
	Start, Time                        pcommon.Timestamp
}

// words returns a hash as snapshots store it.
func words(h attrhash.Hash) [2]uint64 { return [2]uint64{h.Lo, h.Hi} }

func hashOf(words [2]uint64) attrhash.Hash { return attrhash.Hash{Lo: words[0], Hi: words[1]} }

func (t *table) state() []entry {
	all := make([]entry, 0, t.count)
	for _, e := range t.slots {
		if e.Key != 0 {
			all = append(all, e)
		}
	}
	return all
}

func (t *table) restore(all []entry) {
	for _, e := range all {
		t.put(e.Key, e.Seen, e.Ref)
	}
}

// State returns the state of a Store that is no longer in use. Streams returns the state of
// a metric's Streams. Metrics whose names are too long to be stored are left out.
func (s *Store) State(rules string, streams func(any) (*StreamsState, error)) (*State, error) {
	state := &State{Rules: rules, Seed: s.Seed, Started: s.Started.UnixNano(), Since: s.since, Left: s.watermarks.state(), Look: s.looks.Load(), Missed: s.missed.last()}
	for id, known := range s.sources.All() {
		state.Looks = append(state.Looks, lookState{words(id), words(known.service.id), known.lastLook})
	}
	for _, of := range s.services.All() {
		saved := serviceState{ID: words(of.id), Name: of.name}
		for i := range of.values {
			saved.Values = append(saved.Values, of.values[i].state())
		}
		state.Services = append(state.Services, saved)
	}
	for _, m := range s.metrics.All() {
		if m.Plan.Input.Name == "" {
			continue
		}
		saved := metricState{
			ID: words(m.id), Service: words(m.service.id), Plan: m.Plan.Input,
			Since: m.since, Merged: m.merged, Ended: m.ended, Overflow: m.overflow, Series: m.series.state(),
			Departed: m.departed, Look: m.look.Load(), Missed: m.missed, Beyond: m.ofService,
		}
		if m.streams != nil {
			var err error
			if saved.Tracker, err = streams(m.streams); err != nil {
				return nil, err
			}
		}
		state.Families = append(state.Families, saved)
	}
	return state, nil
}

// Restore creates the metrics and services of a state, even if they exceed the budgets.
// Limited is the number of limited attributes. Streams restores the Streams of a metric.
func (s *Store) Restore(state *State, plans *plan.Planner, limited int, streams func(*Metric, *StreamsState) error) error {
	s.Seed, s.Started = state.Seed, time.Unix(0, state.Started)
	s.since = state.Since
	s.watermarks.set(state.Left)
	s.looks.Store(state.Look)
	s.missed.set(state.Missed)
	names := map[[2]uint64]string{}
	for _, saved := range state.Services {
		names[saved.ID] = saved.Name
	}
	for i := range state.Families {
		saved := &state.Families[i]
		m := &Metric{
			id: hashOf(saved.ID), Plan: plans.Restore(saved.Plan), service: s.joinService(hashOf(saved.Service), names[saved.Service]),
			since: saved.Since, merged: saved.Merged, ended: saved.Ended, overflow: saved.Overflow,
			departed: saved.Departed, missed: saved.Missed,
		}
		m.look.Store(saved.Look)
		if err := m.restore(saved, streams); err != nil {
			return fmt.Errorf("metric %s: %w", m.Plan.Metric, err)
		}
		s.metrics.Store(m.id, m)
	}
	for _, saved := range state.Looks {
		if of, ok := s.services.Load(hashOf(saved.Service)); ok {
			of.charge(sourceBytes)
			s.sources.Store(hashOf(saved.ID), &source{service: of, lastLook: saved.Last})
		}
	}
	for _, saved := range state.Services {
		if of, ok := s.services.Load(hashOf(saved.ID)); ok && len(saved.Values) == limited {
			of.values = make([]table, limited)
			for i, values := range saved.Values {
				of.values[i].restore(values)
				of.charge(len(values) * valueBytes)
			}
		}
	}
	return nil
}

func (m *Metric) restore(saved *metricState, streams func(*Metric, *StreamsState) error) error {
	if m.departed != nil {
		words := len(m.departed.Bits)
		switch {
		case words == 0:
			m.departed = nil // a snapshot of an earlier version, in which nothing had expired
		case words < minDeparted || words > maxDeparted || words&(words-1) != 0:
			return fmt.Errorf("departed: must have a power of two from %d to %d words (got %d)", minDeparted, maxDeparted, words)
		}
		m.service.charge(m.departed.bytes())
	}
	outputs := 0
	if saved.Tracker != nil {
		outputs = len(saved.Tracker.Outputs)
	}
	if int(saved.Overflow) > outputs || slices.ContainsFunc(saved.Series, func(e entry) bool { return int(e.Ref) > outputs }) {
		return fmt.Errorf("a series must belong to one of %d outputs", outputs)
	}
	if saved.Tracker != nil {
		if err := streams(m, saved.Tracker); err != nil {
			return err
		}
	}
	m.series.restore(saved.Series)
	if saved.Beyond {
		m.beOfService()
	}
	m.bytes = metricBytes
	m.service.chargeMetric(int(m.bytes) + len(saved.Series)*seriesBytes)
	m.service.series.Add(int64(len(saved.Series)))
	return nil
}

// State returns the state of the streams and outputs without their values. It calls value
// with each value in the order of StreamsState.Points.
func (t *Streams[T, M]) State(value func(*T)) *StreamsState {
	state := &StreamsState{Temporality: t.Temporality, Source: t.source}
	for i := range t.streams {
		s := &t.streams[i]
		if s.free {
			continue
		}
		state.Streams = append(state.Streams, streamState{
			ID: words(s.id), Output: s.output, Seen: s.seen, Others: uint32(s.replaced), Rule: s.rule,
			Native: s.unchanged, Returned: s.returned, Shared: s.shared, Known: s.known, Stale: s.stale, Start: s.start, Time: s.time,
		})
		if t.Temporality == Delta {
			state.Streams[len(state.Streams)-1].Intervals = t.intervals[i].state()
		}
		value(&s.last)
	}
	for i := range t.outputs {
		o := &t.outputs[i]
		state.Outputs = append(state.Outputs, outputState{
			Merged: o.merged, Overflow: o.Overflow, Emitted: o.emitted, Removed: o.free, Check: o.check, Owed: o.refused, Waits: o.waits, First: o.first, Start: o.start, Time: o.Time,
		})
		value(&o.total)
	}
	return state
}

// Restore creates the streams and outputs of a state, and charges their memory to the
// metric's service. Value reads the value with an index in StreamsState.Points.
func (t *Streams[T, M]) Restore(state *StreamsState, value func(int, *T) bool) error {
	of := t.metric.service
	if t.source = state.Source; t.source == 0 && len(state.Streams) > 0 {
		t.source = severalSources // a snapshot of an earlier version
	}
	for i, from := range state.Outputs {
		index := t.addOutput(from.Start)
		o := &t.outputs[index]
		o.check, o.refused, o.waits, o.first = from.Check, from.Owed, from.Waits, from.First
		o.merged, o.Overflow, o.emitted, o.free, o.Time = from.Merged, from.Overflow, from.Emitted, from.Removed, from.Time
		if !value(len(state.Streams)+i, &o.total) {
			return fmt.Errorf("output %d: its point is malformed", i)
		}
		if o.free {
			t.freeOutputs = append(t.freeOutputs, index)
			continue
		}
		o.bytes = uint32(outputBytes[T, M](&o.total))
		of.charge(int(o.bytes))
	}
	for i, from := range state.Streams {
		if int(from.Output) >= len(t.outputs) {
			return fmt.Errorf("stream %d: must have one of %d outputs (got %d)", i, len(t.outputs), from.Output)
		}
		index, ok := t.addStream(hashOf(from.ID), from.Output)
		if !ok {
			return fmt.Errorf("stream %d: must have another identity than the streams before it", i)
		}
		s := &t.streams[index]
		s.seen, s.replaced, s.rule, s.unchanged, s.known = from.Seen, plan.Replaced(from.Others), from.Rule, from.Native, from.Known
		s.returned, s.shared = from.Returned, from.Shared
		if t.Temporality == Delta {
			t.intervals[index].restore(from.Intervals)
		}
		s.start, s.time = from.Start, from.Time
		if s.stale = from.Stale; !s.stale {
			t.outputs[from.Output].live++
		}
		if !value(i, &s.last) {
			return fmt.Errorf("stream %d: its point is malformed", i)
		}
		s.bytes = uint32(t.streamBytes(&s.last))
		of.charge(int(s.bytes))
		of.streams.Add(1)
	}
	return nil
}
