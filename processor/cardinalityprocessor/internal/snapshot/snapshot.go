// SPDX-License-Identifier: Apache-2.0

// Package snapshot encodes the series of a store, so that they survive a restart. [Save]
// and [Encode] write a snapshot at shutdown, [Decode] and [Load] read it at start. The values
// of streams and outputs are encoded as OTLP data points. The package may not know where the
// snapshot is stored.
package snapshot

import (
	"bytes"
	"encoding/binary"
	"encoding/gob"
	"errors"
	"fmt"

	"github.com/zeebo/xxh3"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-tc/otelcol-tc/internal/aggregate"
	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor/internal/kind"
	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor/internal/plan"
	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor/internal/series"
)

// version is increased when older snapshots can no longer be read.
const version = 1

// Encode returns a snapshot: its version, a checksum and the encoded state.
func Encode(state *series.State) ([]byte, error) {
	var body bytes.Buffer
	if err := gob.NewEncoder(&body).Encode(state); err != nil {
		return nil, err
	}
	head := binary.LittleEndian.AppendUint64([]byte{version}, xxh3.Hash(body.Bytes()))
	return append(head, body.Bytes()...), nil
}

// Decode returns the state of a snapshot.
func Decode(data []byte) (*series.State, error) {
	if len(data) < 9 {
		return nil, errors.New("the snapshot is cut off")
	}
	if data[0] != version {
		return nil, fmt.Errorf("the snapshot's version must be %d (got %d)", version, data[0])
	}
	if body := data[9:]; xxh3.Hash(body) != binary.LittleEndian.Uint64(data[1:9]) {
		return nil, errors.New("the snapshot's checksum is wrong")
	}
	state := &series.State{}
	return state, gob.NewDecoder(bytes.NewReader(data[9:])).Decode(state)
}

// Save returns the state of a store that is no longer in use. Rules is a hash of the settings
// that identities depend on.
func Save(store *series.Store, rules string) (*series.State, error) {
	return store.State(rules, func(streams any) (*series.StreamsState, error) {
		switch t := streams.(type) {
		case *series.Numbers:
			if t.Gauge {
				return save(t, kind.Gauges)
			}
			return save(t, kind.Sums)
		case *series.Streams[aggregate.Histogram, *aggregate.Histogram]:
			return save(t, kind.Histograms)
		case *series.Streams[aggregate.Exponential, *aggregate.Exponential]:
			return save(t, kind.Exponentials)
		case *series.Streams[aggregate.Summary, *aggregate.Summary]:
			return save(t, kind.Summaries)
		default:
			return nil, fmt.Errorf("streams of type %T cannot be encoded", t)
		}
	})
}

// Load restores the series of a state into a store.
func Load(store *series.Store, state *series.State, plans *plan.Planner, limited int) error {
	return store.Restore(state, plans, limited, func(m *series.Metric, s *series.StreamsState) error {
		switch of := pmetric.MetricType(s.Type); of {
		case pmetric.MetricTypeGauge:
			return load(m, s, kind.Gauges)
		case pmetric.MetricTypeSum:
			return load(m, s, kind.Sums)
		case pmetric.MetricTypeHistogram:
			return load(m, s, kind.Histograms)
		case pmetric.MetricTypeExponentialHistogram:
			return load(m, s, kind.Exponentials)
		case pmetric.MetricTypeSummary:
			return load(m, s, kind.Summaries)
		default:
			return fmt.Errorf("must be of a type that has points (got %s)", of)
		}
	})
}

// save returns the state of streams, with their values as points of one metric.
func save[D kind.Point, T any, M series.Measurement[T]](t *series.Streams[T, M], of *kind.Kind[D, T, M]) (*series.StreamsState, error) {
	md := pmetric.NewMetrics()
	m := md.ResourceMetrics().AppendEmpty().ScopeMetrics().AppendEmpty().Metrics().AppendEmpty()
	of.Empty(m)
	points := of.Points(m)
	state := t.State(func(value *T) { of.Write(value, points.AppendEmpty()) })
	state.Type = int32(m.Type())
	var err error
	state.Points, err = (&pmetric.ProtoMarshaler{}).MarshalMetrics(md)
	return state, err
}

func load[D kind.Point, T any, M series.Measurement[T]](m *series.Metric, state *series.StreamsState, of *kind.Kind[D, T, M]) error {
	md, err := (&pmetric.ProtoUnmarshaler{}).UnmarshalMetrics(state.Points)
	if err != nil {
		return err
	}
	if md.MetricCount() != 1 {
		return fmt.Errorf("must have the points of one metric (got %d)", md.MetricCount())
	}
	points := of.Points(md.ResourceMetrics().At(0).ScopeMetrics().At(0).Metrics().At(0))
	if points.Len() != len(state.Streams)+len(state.Outputs) {
		return fmt.Errorf("must have %d points, one for each stream and output (got %d)", len(state.Streams)+len(state.Outputs), points.Len())
	}
	gauge := pmetric.MetricType(state.Type) == pmetric.MetricTypeGauge
	return series.StreamsOf[T, M](m, state.Temporality, gauge).Restore(state, func(i int, value *T) bool { return of.Read(value, points.At(i)) })
}
