// SPDX-License-Identifier: Apache-2.0

package sample

import (
	"sort"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/otlptranslator"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"google.golang.org/protobuf/proto"
)

// maxExemplars bounds the exemplars of a native histogram, as SDKs do.
const maxExemplars = 10

// exemplar converts an exemplar with its trace and span ids. It drops other attributes, because
// the labels of an OpenMetrics exemplar may have only 128 characters.
func exemplar(e pmetric.Exemplar) *dto.Exemplar {
	var labels []*dto.LabelPair
	if id := e.TraceID(); !id.IsEmpty() {
		labels = append(labels, &dto.LabelPair{Name: proto.String(otlptranslator.ExemplarTraceIDKey), Value: proto.String(id.String())})
	}
	if id := e.SpanID(); !id.IsEmpty() {
		labels = append(labels, &dto.LabelPair{Name: proto.String(otlptranslator.ExemplarSpanIDKey), Value: proto.String(id.String())})
	}
	return &dto.Exemplar{Label: labels, Value: proto.Float64(exemplarValue(e)), Timestamp: timestamp(e.Timestamp())}
}

func exemplarValue(e pmetric.Exemplar) float64 {
	if e.ValueType() == pmetric.ExemplarValueTypeInt {
		return float64(e.IntValue())
	}
	return e.DoubleValue()
}

// classicExemplars sets the exemplar of each bucket to the last exemplar that belongs to it.
// Buckets must include the last one, up to infinity.
func classicExemplars(buckets []*dto.Bucket, exemplars pmetric.ExemplarSlice) {
	for i := exemplars.Len() - 1; i >= 0; i-- {
		e := exemplars.At(i)
		v := exemplarValue(e)
		at := sort.Search(len(buckets), func(i int) bool { return buckets[i].GetUpperBound() >= v })
		if at < len(buckets) && buckets[at].Exemplar == nil {
			buckets[at].Exemplar = exemplar(e)
		}
	}
}

// nativeExemplars returns the last exemplars that have a time. Prometheus needs the time to
// distinguish them.
func nativeExemplars(exemplars pmetric.ExemplarSlice) []*dto.Exemplar {
	var last []*dto.Exemplar
	for i := exemplars.Len() - 1; i >= 0 && len(last) < maxExemplars; i-- {
		if e := exemplars.At(i); e.Timestamp() != 0 {
			last = append(last, exemplar(e))
		}
	}
	return last
}
