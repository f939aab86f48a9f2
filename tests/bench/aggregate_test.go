package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/open-telemetry/opentelemetry-collector-contrib/processor/transformprocessor"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/processor"
	"go.opentelemetry.io/collector/processor/processortest"

	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor"
	"github.com/otelcol-tc/otelcol-tc/processor/namingprocessor"
)

// Of one request, the two make the same series. What becomes of their values over
// several is where they differ.
func TestAggregateMakesTheSeriesOfCardinality(t *testing.T) {
	naming, transform, cardinality := namingprocessor.NewFactory(), transformprocessor.NewFactory(), cardinalityprocessor.NewFactory()
	for _, attributes := range []int{5, 10} {
		ours := throughMetrics(t, naming, readConfig(t, naming, namingConfig), newMetrics(attributes))
		ours = throughMetrics(t, cardinality, readConfig(t, cardinality, cardinalityConfig), ours)
		stock := throughMetrics(t, transform, readConfig(t, transform, transformConfig), newMetrics(attributes))
		stock = throughMetrics(t, transform, readPart(t, transform, "processors::transform/aggregate", aggregateConfig), stock)
		require.Equal(t, seriesOf(ours), seriesOf(stock))
		require.Less(t, ours.DataPointCount(), itemsPerRequest/2)
	}
}

func throughMetrics(t *testing.T, factory processor.Factory, config component.Config, md pmetric.Metrics) pmetric.Metrics {
	var sink consumertest.MetricsSink
	p, err := factory.CreateMetrics(t.Context(), processortest.NewNopSettings(factory.Type()), config, &sink)
	require.NoError(t, err)
	require.NoError(t, p.ConsumeMetrics(t.Context(), md))
	return sink.AllMetrics()[0]
}

func seriesOf(md pmetric.Metrics) (series []string) {
	for _, rm := range md.ResourceMetrics().All() {
		for _, sm := range rm.ScopeMetrics().All() {
			for _, m := range sm.Metrics().All() {
				for _, p := range points(m).All() {
					series = append(series, strings.Join([]string{m.Name(), fmt.Sprint(p.Attributes().AsRaw())}, " "))
				}
			}
		}
	}
	slices.Sort(series)
	return series
}
