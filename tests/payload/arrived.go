// SPDX-License-Identifier: Apache-2.0

package payload

import (
	"testing"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

// Arrived counts how often each thing came out of collectors.
type Arrived map[string]int

// ArrivedFrom counts what the outputs have of each span, record and series.
func ArrivedFrom(t *testing.T, outputs ...*collectortest.Collector) Arrived {
	t.Helper()
	arrived := Arrived{}
	for _, output := range outputs {
		for span := range collectortest.SpansOf(output.Traces(t)) {
			arrived[span.SpanID().String()]++
		}
		for record := range collectortest.Records(output.LogRecords(t)) {
			arrived[record.Body().AsString()]++
		}
		collectortest.EachScoped(output.Metrics(t), func(resource pcommon.Resource, _ pcommon.InstrumentationScope, metric pmetric.Metric) {
			if metric.Name() == "tc_jobs" {
				arrived[collectortest.ServiceName(resource)]++
			}
		})
	}
	return arrived
}
