// SPDX-License-Identifier: Apache-2.0

package tcgen

import (
	"iter"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"
)

// IDKeys are the keys of metrics whose values are ids, as sent and as received: what
// systems.md says of the four systems, written here once more. The paths of
// FastDeploy's http_* metrics are ids as well, but its pack can say so only where the
// resource is FastDeploy's: anybody can have a http_requests_total.
var IDKeys = []string{
	"artifact_id", "tc.artifact.id", "tc_artifact_id", "tc.request.id", "tc_request_id",
	"view_id", "tc.view.id", "view_id_prefix", "tc.view.id_prefix",
	"model_id", "tc.model.id", "address",
}

// DataPoint is what points of all kinds of metrics have.
type DataPoint interface {
	Attributes() pcommon.Map
	StartTimestamp() pcommon.Timestamp
	Timestamp() pcommon.Timestamp
}

// PointsOf returns the points of a metric of any type.
func PointsOf(metric pmetric.Metric) []DataPoint {
	switch metric.Type() {
	case pmetric.MetricTypeGauge:
		return collect(metric.Gauge().DataPoints().All())
	case pmetric.MetricTypeSum:
		return collect(metric.Sum().DataPoints().All())
	case pmetric.MetricTypeHistogram:
		return collect(metric.Histogram().DataPoints().All())
	case pmetric.MetricTypeExponentialHistogram:
		return collect(metric.ExponentialHistogram().DataPoints().All())
	case pmetric.MetricTypeSummary:
		return collect(metric.Summary().DataPoints().All())
	}
	return nil
}

func collect[P DataPoint](points iter.Seq2[int, P]) (all []DataPoint) {
	for _, p := range points {
		all = append(all, p)
	}
	return all
}
