package series

import (
	"fmt"
	"slices"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-tc/otelcol-tc/internal/attrhash"
	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor/internal/plan"
)

// State is all of a Store that has to survive a restart. Snapshots of released versions
// have the names of its fields, so the names stay.
type State struct {
	Rules    string // what decides identities; state of other rules is worth nothing
	Seed     uint64
	Started  int64 // of epoch 0, in nanoseconds since 1970
	Since    pcommon.Timestamp
	Left     map[int]watermark // of metrics that were removed
	Families []metricState
	Services []serviceState
}

type metricState struct {
	ID       [2]uint64
	Service  [2]uint64
	Plan     plan.Input
	Since    pcommon.Timestamp
	Merged   pcommon.Timestamp
	Ended    pcommon.Timestamp
	Overflow uint32
	Departed departed
	Series   []entryState
	Tracker  *StreamsState // nil: nothing was merged
}

type serviceState struct {
	ID     [2]uint64
	Name   string
	Values [][]entryState // by the limited attribute's number
}

type entryState struct {
	Key       uint64
	Seen, Ref uint32
}

// StreamsState is the streams and outputs of a metric. What they measured is encoded in
// Points, first that of the streams, as points of a Type.
type StreamsState struct {
	Type        int32
	Temporality Temporality
	Streams     []streamState
	Outputs     []outputState
	Points      []byte
}

type streamState struct {
	ID                   [2]uint64
	Output, Seen, Others uint32
	Rule                 Rule
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

// words are the halves of a hash.
func words(h attrhash.Hash) [2]uint64 { return [2]uint64{h.Lo, h.Hi} }

func hashOf(words [2]uint64) attrhash.Hash { return attrhash.Hash{Lo: words[0], Hi: words[1]} }

// state takes the table apart.
func (t *table) state() []entryState {
	all := make([]entryState, 0, t.count)
	for _, e := range t.slots {
		if e.key != 0 {
			all = append(all, entryState{e.key, e.seen, e.ref})
		}
	}
	return all
}

func (t *table) restore(all []entryState) {
	for _, e := range all {
		t.put(e.Key, e.Seen, e.Ref)
	}
}

// State returns the state of a Store that nothing else uses any more. The argument returns
// that of a metric's Streams.
func (s *Store) State(rules string, streams func(any) (*StreamsState, error)) (*State, error) {
	state := &State{Rules: rules, Seed: s.Seed, Started: s.Started.UnixNano(), Since: s.since, Left: s.left.state()}
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
			Departed: m.departed,
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

// Restore makes the metrics and services of a state, whatever the budgets are now. Limited is
// how many attributes have limits. The last argument makes the Streams of a metric.
func (s *Store) Restore(state *State, plans *plan.Planner, limited int, streams func(*Metric, *StreamsState) error) error {
	s.Seed, s.Started = state.Seed, time.Unix(0, state.Started)
	s.since = state.Since
	s.left.set(state.Left)
	names := map[[2]uint64]string{}
	for _, saved := range state.Services {
		names[saved.ID] = saved.Name
	}
	for i := range state.Families {
		saved := &state.Families[i]
		m := &Metric{
			id: hashOf(saved.ID), Plan: plans.Again(saved.Plan), service: s.joinService(hashOf(saved.Service), names[saved.Service]),
			since: saved.Since, merged: saved.Merged, ended: saved.Ended, overflow: saved.Overflow,
			departed: saved.Departed,
		}
		if err := m.restore(saved, streams); err != nil {
			return fmt.Errorf("metric %s: %w", m.Plan.Metric, err)
		}
		s.metrics.Store(m.id, m)
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
	if bits := len(m.departed.Bits); bits != 0 && bits != departedBits/64 {
		return fmt.Errorf("must remember %d bits (got %d)", departedBits, 64*bits)
	}
	if m.departed.Bits != nil {
		m.service.charge(departedBytes)
	}
	outputs := 0
	if saved.Tracker != nil {
		outputs = len(saved.Tracker.Outputs)
	}
	if int(saved.Overflow) > outputs || slices.ContainsFunc(saved.Series, func(e entryState) bool { return int(e.Ref) > outputs }) {
		return fmt.Errorf("a series is part of an output past the last of %d", outputs)
	}
	if saved.Tracker != nil {
		if err := streams(m, saved.Tracker); err != nil {
			return err
		}
	}
	m.series.restore(saved.Series)
	m.service.charge(metricBytes + len(saved.Series)*seriesBytes)
	m.service.series.Add(int64(len(saved.Series)))
	return nil
}

// State returns the state of the streams and outputs, but for what they measured: it calls
// value with each of that.
func (t *Streams[T, M]) State(value func(*T)) *StreamsState {
	state := &StreamsState{Temporality: t.Temporality}
	for i := range t.streams {
		s := &t.streams[i]
		if s.removed {
			continue
		}
		state.Streams = append(state.Streams, streamState{
			ID: words(s.id), Output: s.output, Seen: s.seen, Others: uint32(s.replaced), Rule: s.rule,
			Native: s.same, Returned: s.returned, Known: s.known, Stale: s.stale, Start: s.start, Time: s.time,
		})
		value(&s.last)
	}
	for i := range t.outputs {
		o := &t.outputs[i]
		state.Outputs = append(state.Outputs, outputState{
			Merged: o.merged, Overflow: o.Overflow, Emitted: o.emitted, Removed: o.gone, Check: o.check, Owed: o.owed, First: o.first, Start: o.start, Time: o.Time,
		})
		value(&o.total)
	}
	return state
}

// Restore makes the streams and outputs of a state, and charges the metric's service for
// them. Value reads what one of them measured, by its number in the order of State.
func (t *Streams[T, M]) Restore(state *StreamsState, value func(int, *T) bool) error {
	of := t.metric.service
	for i, from := range state.Outputs {
		index := t.addOutput(from.Start)
		o := &t.outputs[index]
		o.check, o.owed, o.first = from.Check, from.Owed, from.First
		o.merged, o.Overflow, o.emitted, o.gone, o.Time = from.Merged, from.Overflow, from.Emitted, from.Removed, from.Time
		if !value(len(state.Streams)+i, &o.total) {
			return fmt.Errorf("output %d is malformed", i)
		}
		if o.gone {
			t.freeOutputs = append(t.freeOutputs, index)
			continue
		}
		o.bytes = uint32(outputBytes[T, M](&o.total))
		of.charge(int(o.bytes))
	}
	for i, from := range state.Streams {
		if int(from.Output) >= len(t.outputs) {
			return fmt.Errorf("stream %d has no output", i)
		}
		index, ok := t.addStream(hashOf(from.ID), from.Output)
		if !ok {
			return fmt.Errorf("stream %d comes twice", i)
		}
		s := &t.streams[index]
		s.seen, s.replaced, s.rule, s.same, s.known = from.Seen, plan.Replaced(from.Others), from.Rule, from.Native, from.Known
		s.returned = from.Returned
		s.start, s.time = from.Start, from.Time
		if s.stale = from.Stale; !s.stale {
			t.outputs[from.Output].live++
		}
		if !value(i, &s.last) {
			return fmt.Errorf("stream %d is malformed", i)
		}
		s.bytes = uint32(t.streamBytes(&s.last))
		of.charge(int(s.bytes))
		of.streams.Add(1)
	}
	return nil
}
