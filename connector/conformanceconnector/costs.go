// SPDX-License-Identifier: Apache-2.0

package conformanceconnector

import (
	"github.com/otelcol-tc/otelcol-tc/internal/conformance"
)

// maxFolded limits the series of tc_conformance_folded_series: its labels come from telemetry.
const maxFolded = 100

// costs adds what the explorer knows.
func (m *metrics) costs(e conformance.Explorer) {
	if !e.Shared {
		return
	}
	folded := m.gauge("tc_conformance_folded_series", "{series}", "Series past a budget, which cardinality merges into one, by the attribute that makes them.")
	for n, i := 0, 0; i < len(e.Metrics) && n < maxFolded; i++ {
		c := &e.Metrics[i]
		refused := c.Refused()
		if refused == 0 {
			continue
		}
		n++
		attribute := ""
		if exploding := c.Exploding(); exploding != nil {
			attribute = exploding.Key
		}
		folded.value(float64(refused), "service", c.Service, "metric", c.Name, "attribute", attribute)
	}
	saved := m.gauge("tc_conformance_saved_series", "{series}", "Series that came to cardinality and are not sent.")
	saved.value(float64(e.Saved.Series))
	points := m.gauge("tc_conformance_saved_points", "{point}/d", "Data points a day that are not sent, at the rate of the last hour.")
	points.value(e.Saved.PointsPerDay)
	bytes := m.gauge("tc_conformance_saved_bytes", "By/d", "Bytes a day that are not sent, at the rate of the last hour.")
	bytes.value(e.Saved.BytesPerDay)
}
