// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"testing"

	"github.com/open-telemetry/opentelemetry-collector-contrib/processor/transformprocessor"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/processor"
	"go.opentelemetry.io/collector/processor/processortest"

	"github.com/otelcol-tc/otelcol-tc/processor/namingprocessor"
)

// result is all of an item that naming may change. The order of attributes means
// nothing.
type result struct {
	name, unit           string
	metadata, attributes map[string]any
}

func TestTransformDoesWhatNamingDoes(t *testing.T) {
	naming, transform := namingprocessor.NewFactory(), transformprocessor.NewFactory()
	for _, attributes := range []int{5, 10} {
		f := func(signal string, process func(*testing.T, processor.Factory, component.Config, int) []result) {
			t.Run(fmt.Sprintf("%s, %d attributes", signal, attributes), func(t *testing.T) {
				want := process(t, naming, readConfig(t, naming, config("naming")), attributes)
				got := process(t, transform, readConfig(t, transform, config("transform")), attributes)
				require.Len(t, want, itemsPerRequest)
				require.Len(t, got, itemsPerRequest)
				// One by one: the first difference says it all.
				for i := range want {
					require.Equal(t, want[i], got[i])
				}
			})
		}
		f("metrics", processMetrics)
		f("traces", processTraces)
		f("logs", processLogs)
	}
}

// readConfig reads the processor's part of a target's configuration.
func readConfig(t *testing.T, factory processor.Factory, text string) component.Config {
	t.Helper()
	return readPart(t, factory, "processors::"+factory.Type().String(), text)
}

// readPart reads a component's part of configurations that are merged.
func readPart(t *testing.T, factory component.Factory, key string, texts ...string) component.Config {
	t.Helper()
	all := confmap.New()
	for _, text := range texts {
		retrieved, err := confmap.NewRetrievedFromYAML([]byte(text))
		require.NoError(t, err)
		one, err := retrieved.AsConf()
		require.NoError(t, err)
		require.NoError(t, all.Merge(one))
	}
	require.True(t, all.IsSet(key), "%s is not configured", key)
	part, err := all.Sub(key)
	require.NoError(t, err)
	parsed := factory.CreateDefaultConfig()
	require.NoError(t, part.Unmarshal(parsed))
	return parsed
}

func processMetrics(t *testing.T, factory processor.Factory, config component.Config, attributes int) (results []result) {
	var sink consumertest.MetricsSink
	p, err := factory.CreateMetrics(t.Context(), processortest.NewNopSettings(factory.Type()), config, &sink)
	require.NoError(t, err)
	require.NoError(t, p.Start(t.Context(), componenttest.NewNopHost()))
	require.NoError(t, p.ConsumeMetrics(t.Context(), newMetrics(attributes, itemsPerRequest)))
	for _, rm := range sink.AllMetrics()[0].ResourceMetrics().All() {
		for _, sm := range rm.ScopeMetrics().All() {
			for _, m := range sm.Metrics().All() {
				for _, p := range pointsOf(m).All() {
					results = append(results, result{m.Name(), m.Unit(), m.Metadata().AsRaw(), p.Attributes().AsRaw()})
				}
			}
		}
	}
	return results
}

func processTraces(t *testing.T, factory processor.Factory, config component.Config, attributes int) (results []result) {
	var sink consumertest.TracesSink
	p, err := factory.CreateTraces(t.Context(), processortest.NewNopSettings(factory.Type()), config, &sink)
	require.NoError(t, err)
	require.NoError(t, p.Start(t.Context(), componenttest.NewNopHost()))
	require.NoError(t, p.ConsumeTraces(t.Context(), newTraces(attributes, itemsPerRequest)))
	for _, rs := range sink.AllTraces()[0].ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			for _, s := range ss.Spans().All() {
				results = append(results, result{name: s.Name(), attributes: s.Attributes().AsRaw()})
			}
		}
	}
	return results
}

func processLogs(t *testing.T, factory processor.Factory, config component.Config, attributes int) (results []result) {
	var sink consumertest.LogsSink
	p, err := factory.CreateLogs(t.Context(), processortest.NewNopSettings(factory.Type()), config, &sink)
	require.NoError(t, err)
	require.NoError(t, p.Start(t.Context(), componenttest.NewNopHost()))
	require.NoError(t, p.ConsumeLogs(t.Context(), newLogs(attributes, itemsPerRequest, asSent)))
	for _, rl := range sink.AllLogs()[0].ResourceLogs().All() {
		for _, sl := range rl.ScopeLogs().All() {
			for _, r := range sl.LogRecords().All() {
				results = append(results, result{name: r.Body().Str(), attributes: r.Attributes().AsRaw()})
			}
		}
	}
	return results
}
