// SPDX-License-Identifier: Apache-2.0

package prometheuspageexporter

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/exporter/exportertest"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-tc/otelcol-tc/exporter/prometheuspageexporter/internal/metadata"
)

// FuzzBatches consumes any two requests in turn. Neither panics, and afterwards the page can be
// read in each format.
func FuzzBatches(f *testing.F) {
	var marshaler pmetric.ProtoMarshaler
	var seeds [][]byte
	for round := range 3 {
		for _, temporality := range []pmetric.AggregationTemporality{
			pmetric.AggregationTemporalityUnspecified, pmetric.AggregationTemporalityDelta, pmetric.AggregationTemporalityCumulative,
		} {
			batch := metrics(func(all pmetric.MetricSlice) {
				allTypes(f, round, round).CopyTo(all)
				for _, m := range all.All() {
					setTemporality(m, temporality)
				}
			})
			seed, err := marshaler.MarshalMetrics(batch)
			require.NoError(f, err)
			seeds = append(seeds, seed)
		}
	}
	for _, first := range seeds {
		for _, second := range seeds {
			f.Add(first, second)
		}
	}
	f.Fuzz(func(t *testing.T, first, second []byte) {
		e, err := newExporter(exportertest.NewNopSettings(metadata.Type), defaultConfig().(*Config))
		require.NoError(t, err)
		var unmarshaler pmetric.ProtoUnmarshaler
		for _, request := range [][]byte{first, second} {
			batch, err := unmarshaler.UnmarshalMetrics(request)
			if err != nil {
				t.Skip()
			}
			require.NoError(t, e.consume(t.Context(), batch))
		}
		for _, accept := range []string{textFormat, openMetrics, protobufFormat} {
			request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", http.NoBody)
			request.Header.Set("Accept", accept)
			answer := httptest.NewRecorder()
			e.server.Handler.ServeHTTP(answer, request)
			require.Equal(t, http.StatusOK, answer.Code, "%s", answer.Body)
			stats := e.page.Stats()
			require.LessOrEqual(t, int64(answer.Body.Len()), stats.Text+int64(len("# EOF\n")))
			if accept == textFormat {
				parser := expfmt.NewTextParser(model.LegacyValidation)
				_, err := parser.TextToMetricFamilies(bytes.NewReader(answer.Body.Bytes()))
				require.NoError(t, err, "%s", answer.Body)
			}
		}
	})
}

func setTemporality(m pmetric.Metric, temporality pmetric.AggregationTemporality) {
	switch m.Type() {
	case pmetric.MetricTypeSum:
		m.Sum().SetAggregationTemporality(temporality)
	case pmetric.MetricTypeHistogram:
		m.Histogram().SetAggregationTemporality(temporality)
	case pmetric.MetricTypeExponentialHistogram:
		m.ExponentialHistogram().SetAggregationTemporality(temporality)
	}
}
