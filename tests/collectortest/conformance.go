// SPDX-License-Identifier: Apache-2.0

package collectortest

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/internal/conformance"
)

// ConformanceReport reads the report of the conformance page.
func ConformanceReport(t *testing.T, c *Collector) *conformance.Report {
	t.Helper()
	page, err := GetPage(t.Context(), "http://"+c.Page+"/api/v1/report")
	require.NoError(t, err)
	report := &conformance.Report{}
	require.NoError(t, json.Unmarshal(page, report), "%s", page)
	return report
}
