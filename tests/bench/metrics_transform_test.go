// SPDX-License-Identifier: Apache-2.0

package main

import (
	"maps"
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/processor"

	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor"
	"github.com/otelcol-tc/otelcol-tc/processor/namingprocessor"
)

// The stock processor is not a part of our binary, so it is its configuration that is held
// equal: it folds each metric, once, by its type, and keeps the attributes that cardinality
// keeps.
func TestMetricsTransformKeepsWhatCardinalityKeeps(t *testing.T) {
	naming, cardinality := namingprocessor.NewFactory(), cardinalityprocessor.NewFactory()
	var md any = newMetrics(sources["metrics"], 10)
	for _, factory := range []processor.Factory{naming, cardinality} {
		var err error
		md, err = processed(t.Context(), factory, readPart(t, factory, "processors::"+factory.Type().String(), config(factory.Type().String())), md)
		require.NoError(t, err)
	}
	ours := md.(pmetric.Metrics)
	require.Less(t, ours.DataPointCount(), itemsPerRequest/2)

	sums, gauges := transforms(t)
	require.Equal(t, []string{"sum", "mean"}, []string{sums.Operations[0].AggregationType, gauges.Operations[0].AggregationType})
	kept := map[string]bool{}
	for _, rm := range ours.ResourceMetrics().All() {
		for _, m := range rm.ScopeMetrics().At(0).Metrics().All() {
			isSum := m.Type() == pmetric.MetricTypeSum
			require.Equal(t, isSum, regexp.MustCompile(sums.Include).MatchString(m.Name()), m.Name())
			require.Equal(t, !isSum, regexp.MustCompile(gauges.Include).MatchString(m.Name()), m.Name())
			for _, p := range pointsOf(m).All() {
				for key := range p.Attributes().All() {
					kept[key] = true
				}
			}
		}
	}
	for _, f := range []folding{sums, gauges} {
		require.Equal(t, slices.Sorted(maps.Keys(kept)), slices.Sorted(slices.Values(f.Operations[0].LabelSet)))
	}
}

// folding is one of metrics_transform's transforms.
type folding struct {
	Include    string `mapstructure:"include"`
	Operations []struct {
		LabelSet        []string `mapstructure:"label_set"`
		AggregationType string   `mapstructure:"aggregation_type"`
	} `mapstructure:"operations"`
}

func transforms(t *testing.T) (sums, gauges folding) {
	t.Helper()
	retrieved, err := confmap.NewRetrievedFromYAML([]byte(config("metrics_transform")))
	require.NoError(t, err)
	all, err := retrieved.AsConf()
	require.NoError(t, err)
	part, err := all.Sub("processors::metrics_transform")
	require.NoError(t, err)
	var parsed struct {
		Transforms []folding `mapstructure:"transforms"`
	}
	require.NoError(t, part.Unmarshal(&parsed, confmap.WithIgnoreUnused()))
	require.Len(t, parsed.Transforms, 2)
	return parsed.Transforms[0], parsed.Transforms[1]
}
