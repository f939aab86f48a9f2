// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/binary"

	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/pmetric/pmetricotlp"
)

// valued begins the value of each point of a request to be sent, in its upper five bytes. The
// lower three are the point's number. What is sent counts on from one request to the next.
const valued uint64 = 0x5a3cc3961e << 24

// withValues is a request of metrics whose points have such values. They are encoded in
// eight bytes each, whatever they are.
func withValues(request []byte) ([]byte, error) {
	decoded := pmetricotlp.NewExportRequest()
	if err := decoded.UnmarshalProto(request); err != nil {
		return nil, err
	}
	n := uint64(0)
	for _, rm := range decoded.Metrics().ResourceMetrics().All() {
		for _, sm := range rm.ScopeMetrics().All() {
			for _, m := range sm.Metrics().All() {
				for _, p := range pointsOf(m).All() {
					p.SetIntValue(int64(valued | n))
					n++
				}
			}
		}
	}
	return decoded.MarshalProto()
}

// pointsOf are those of a metric of the load.
func pointsOf(m pmetric.Metric) pmetric.NumberDataPointSlice {
	if m.Type() == pmetric.MetricTypeSum {
		return m.Sum().DataPoints()
	}
	return m.Gauge().DataPoints()
}

// valuesIn finds them in an encoded request.
func valuesIn(body []byte) (places []int) {
	const number = 3
	for at := range indexes(body, binary.LittleEndian.AppendUint64(nil, valued)[number:]) {
		places = append(places, at-number)
	}
	return places
}
