// SPDX-License-Identifier: Apache-2.0

package collectortest

import (
	"bytes"
	"encoding/json"
	"testing"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/internal/conformance"
)

// Scrape returns the metric families of the prometheus exporter's page.
func (c *Collector) Scrape(t testing.TB) map[string]*dto.MetricFamily {
	t.Helper()
	return page(t, c.Prometheus)
}

// SelfMetrics returns the metric families of the collector's own page.
func (c *Collector) SelfMetrics(t testing.TB) map[string]*dto.MetricFamily {
	t.Helper()
	return page(t, c.Telemetry)
}

// page reads a Prometheus page, and fails the test if it is incomplete.
func page(t testing.TB, address string) map[string]*dto.MetricFamily {
	t.Helper()
	text, err := GetPage(t.Context(), "http://"+address+"/metrics")
	if err != nil {
		t.Fatal(err)
	}
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(bytes.NewReader(text))
	if err != nil {
		t.Fatalf("%s: %v", address, err)
	}
	return families
}

// Sum adds the samples of a metric family that have all the given labels: the values of a counter or
// gauge, or the counts of a histogram. A missing family is nil and gives 0, because counters appear with
// their first event.
func Sum(family *dto.MetricFamily, labels map[string]string) float64 {
	var sum float64
	for _, metric := range family.GetMetric() {
		if !HasLabels(metric, labels) {
			continue
		}
		// Only one of these is set. The others are 0.
		sum += metric.GetCounter().GetValue() + metric.GetGauge().GetValue() +
			metric.GetUntyped().GetValue() + float64(metric.GetHistogram().GetSampleCount())
	}
	return sum
}

// HasLabels reports whether a metric has all the given labels.
func HasLabels(metric *dto.Metric, want map[string]string) bool {
	matched := 0
	for _, pair := range metric.GetLabel() {
		if value, ok := want[pair.GetName()]; ok && value == pair.GetValue() {
			matched++
		}
	}
	return matched == len(want)
}

// ConformanceReport reads the report of the conformance page.
func ConformanceReport(t *testing.T, c *Collector) *conformance.Report {
	t.Helper()
	page, err := GetPage(t.Context(), "http://"+c.Page+"/api/v1/report")
	require.NoError(t, err)
	report := &conformance.Report{}
	require.NoError(t, json.Unmarshal(page, report), "%s", page)
	return report
}
