// SPDX-License-Identifier: Apache-2.0

package main

import (
	"testing"

	"github.com/open-telemetry/opentelemetry-collector-contrib/processor/transformprocessor"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/processor"

	"github.com/otelcol-tc/otelcol-tc/processor/logcorrelationprocessor"
	"github.com/otelcol-tc/otelcol-tc/processor/namingprocessor"
)

// A stock processor that did less than ours would say nothing.
func TestTransformDoesWhatNamingDoes(t *testing.T) {
	naming, transform := namingprocessor.NewFactory(), transformprocessor.NewFactory()
	for _, signal := range allSignals {
		for _, attributes := range []int{5, 10} {
			l, err := newLoad(signal, attributes, asSent)
			require.NoError(t, err)
			want := through(t, naming, config("naming"), l)
			got := through(t, transform, config("transform"), l)
			require.Len(t, want, itemsPerRequest)
			require.Len(t, got, itemsPerRequest)
			// One by one: the first difference says it all.
			for i := range want {
				require.Equal(t, want[i], got[i], l)
			}
		}
	}
}

// Ids that are not in a record's own fields are put there: the loads have them where ours looks.
func TestIDsAreLifted(t *testing.T) {
	for _, v := range []variant{idsInAttributes, idsInText} {
		l, err := newLoad("logs", 10, v)
		require.NoError(t, err)
		from := len(sources[logSources[v]])
		got := through(t, logcorrelationprocessor.NewFactory(), config("log_correlation"), l)
		require.Len(t, got, itemsPerRequest)
		for i, r := range got {
			// Sources take turns in a request, and come one after the other in it.
			source, n := 0, i
			for n >= (itemsPerRequest-source+from-1)/from {
				n -= (itemsPerRequest - source + from - 1) / from
				source++
			}
			require.Equal(t, traceText(source+n*from)+spanText(source+n*from), r.ids)
		}
	}
}

// result is all of an item that processors may change. The order of attributes means
// nothing.
type result struct {
	name, unit, ids      string
	metadata, attributes map[string]any
}

// through returns the items of a load as a processor leaves them.
func through(t *testing.T, factory processor.Factory, config string, l otlpLoad) (results []result) {
	t.Helper()
	data, err := l.decode()
	require.NoError(t, err)
	data, err = processed(t.Context(), factory, readPart(t, factory, "processors::"+factory.Type().String(), config), data)
	require.NoError(t, err)
	switch d := data.(type) {
	case pmetric.Metrics:
		for _, rm := range d.ResourceMetrics().All() {
			for _, m := range rm.ScopeMetrics().At(0).Metrics().All() {
				for _, p := range pointsOf(m).All() {
					results = append(results, result{name: m.Name(), unit: m.Unit(), metadata: m.Metadata().AsRaw(), attributes: p.Attributes().AsRaw()})
				}
			}
		}
	case ptrace.Traces:
		for _, rs := range d.ResourceSpans().All() {
			for _, s := range rs.ScopeSpans().At(0).Spans().All() {
				results = append(results, result{name: s.Name(), attributes: s.Attributes().AsRaw()})
			}
		}
	case plog.Logs:
		for _, rl := range d.ResourceLogs().All() {
			for _, r := range rl.ScopeLogs().At(0).LogRecords().All() {
				results = append(results, result{name: r.Body().Str(), ids: r.TraceID().String() + r.SpanID().String(), attributes: r.Attributes().AsRaw()})
			}
		}
	}
	return results
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
