// SPDX-License-Identifier: Apache-2.0

package chaos

import (
	"bytes"
	"encoding/binary"
	"strconv"
	"strings"

	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

// Of what arrives, only items of a ledger have ids: a gateway also sends what its
// conformance connector says.

func spanIDs(data ptrace.Traces) (ids []int) {
	for span := range collectortest.SpansOf(data) {
		ids = appendMarked(ids, span.SpanID())
	}
	return ids
}

func pointIDs(data pmetric.Metrics) (ids []int) {
	for metric := range collectortest.AllMetrics(data) {
		if metric.Type() != pmetric.MetricTypeGauge {
			continue
		}
		for _, point := range metric.Gauge().DataPoints().All() {
			ids = appendMarked(ids, [8]byte(binary.LittleEndian.AppendUint64(nil, uint64(point.IntValue()))))
		}
	}
	return ids
}

func recordIDs(data plog.Logs) (ids []int) {
	for record := range collectortest.Records(data) {
		ids = appendMarked(ids, record.SpanID())
		// What came from a log file.
		if _, number, found := strings.Cut(record.Body().AsString(), lineMark); found {
			if id, err := strconv.Atoi(number); err == nil {
				ids = append(ids, id)
			}
		}
	}
	return ids
}

// lineMark comes before the id in a line of a log file.
const lineMark = "chaos item "

func appendMarked(ids []int, id [8]byte) []int {
	if bytes.HasPrefix(id[:], mark) {
		ids = append(ids, int(binary.BigEndian.Uint32(id[len(mark):])))
	}
	return ids
}
