// SPDX-License-Identifier: Apache-2.0

// Package snapshot encodes the series of a store, so that they survive a restart. [Save]
// and [Encode] write a snapshot at shutdown, [Decode] and [Load] read it at start. The values
// of streams and outputs are encoded as OTLP data points. The package may not know where the
// snapshot is stored.
package snapshot

import (
	"bytes"
	"encoding/gob"
	"fmt"

	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-tc/otelcol-tc/internal/aggregate"
	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor/internal/plan"
	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor/internal/pointtype"
	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor/internal/series"
)

// Encode returns a snapshot.
func Encode(state *series.State) ([]byte, error) {
	var b bytes.Buffer
	err := gob.NewEncoder(&b).Encode(state)
	return b.Bytes(), err
}

// Decode returns the state of a snapshot.
func Decode(data []byte) (*series.State, error) {
	state := &series.State{}
	return state, gob.NewDecoder(bytes.NewReader(data)).Decode(state)
}

// Save returns the state of a store that is no longer in use. Rules is a hash of the settings
// that identities depend on.
func Save(store *series.Store, rules string) (*series.State, error) {
	return store.State(rules, func(kind pmetric.MetricType, streams any) (*series.StreamsState, error) {
		return types[kind].save(streams)
	})
}

// Load restores the series of a state into a store.
func Load(store *series.Store, state *series.State, plans *plan.Planner, limited int) error {
	return store.Restore(state, plans, limited, func(m *series.Metric, s *series.StreamsState) error {
		kind, ok := types[s.Type]
		if !ok {
			return fmt.Errorf("must be of a type that has points (got %s)", s.Type)
		}
		return kind.load(m, s)
	})
}

// types has what encodes the values of each type of metric.
var types = map[pmetric.MetricType]interface {
	save(streams any) (*series.StreamsState, error)
	load(*series.Metric, *series.StreamsState) error
}{
	pmetric.MetricTypeGauge:                encoding[pmetric.NumberDataPointSlice, pmetric.NumberDataPoint, aggregate.Number, *aggregate.Number]{pointtype.Gauges},
	pmetric.MetricTypeSum:                  encoding[pmetric.NumberDataPointSlice, pmetric.NumberDataPoint, aggregate.Number, *aggregate.Number]{pointtype.Sums},
	pmetric.MetricTypeHistogram:            encoding[pmetric.HistogramDataPointSlice, pmetric.HistogramDataPoint, aggregate.Histogram, *aggregate.Histogram]{pointtype.Histograms},
	pmetric.MetricTypeExponentialHistogram: encoding[pmetric.ExponentialHistogramDataPointSlice, pmetric.ExponentialHistogramDataPoint, aggregate.Exponential, *aggregate.Exponential]{pointtype.Exponentials},
	pmetric.MetricTypeSummary:              encoding[pmetric.SummaryDataPointSlice, pmetric.SummaryDataPoint, aggregate.Summary, *aggregate.Summary]{pointtype.Summaries},
}

// encoding encodes values as the points of one metric.
type encoding[S pointtype.Points[D], D pointtype.Point, T any, M series.Measurement[T]] struct {
	*pointtype.Kind[S, D, T, M]
}

// save returns the state of streams, with their values as points of one metric.
func (e encoding[S, D, T, M]) save(streams any) (*series.StreamsState, error) {
	md := pmetric.NewMetrics()
	m := md.ResourceMetrics().AppendEmpty().ScopeMetrics().AppendEmpty().Metrics().AppendEmpty()
	e.Empty(m)
	points := e.Points(m)
	state := streams.(*series.Streams[T, M]).State(func(value *T) { e.Write(value, points.AppendEmpty()) })
	var err error
	state.Points, err = (&pmetric.ProtoMarshaler{}).MarshalMetrics(md)
	return state, err
}

func (e encoding[S, D, T, M]) load(m *series.Metric, state *series.StreamsState) error {
	md, err := (&pmetric.ProtoUnmarshaler{}).UnmarshalMetrics(state.Points)
	if err != nil {
		return err
	}
	if md.MetricCount() != 1 {
		return fmt.Errorf("must have the points of one metric (got %d)", md.MetricCount())
	}
	points := e.Points(md.ResourceMetrics().At(0).ScopeMetrics().At(0).Metrics().At(0))
	if points.Len() != len(state.Streams)+len(state.Outputs) {
		return fmt.Errorf("must have %d points, one for each stream and output (got %d)", len(state.Streams)+len(state.Outputs), points.Len())
	}
	return series.StreamsOf[T, M](m, state.Type, state.Temporality).Restore(state, func(i int, value *T) bool { return e.Read(value, points.At(i)) })
}
