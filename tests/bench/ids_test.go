// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"testing"

	"github.com/open-telemetry/opentelemetry-collector-contrib/processor/transformprocessor"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/processor"
	"go.opentelemetry.io/collector/processor/processortest"

	"github.com/otelcol-tc/otelcol-tc/processor/logcorrelationprocessor"
)

func TestIDsAreLifted(t *testing.T) {
	transform, ours := transformprocessor.NewFactory(), logcorrelationprocessor.NewFactory()
	for _, attributes := range []int{5, 10} {
		f := func(v variant, sources []source, factory processor.Factory, config string) {
			t.Run(fmt.Sprintf("%s, %d %s", factory.Type(), attributes, v), func(t *testing.T) {
				want := newLogs(attributes, itemsPerRequest, v)
				for s, rl := range want.ResourceLogs().All() {
					for i, record := range rl.ScopeLogs().At(0).LogRecords().All() {
						require.True(t, record.TraceID().IsEmpty())
						require.Equal(t, attributes, record.Attributes().Len())
						trace, span := idsOf(s + i*len(sources))
						record.SetTraceID(trace)
						record.SetSpanID(span)
						if sources[s].service == "tuft" {
							record.SetFlags(plog.DefaultLogRecordFlags.WithIsSampled(true))
						}
					}
				}
				got := throughLogs(t, factory, readConfig(t, factory, config), newLogs(attributes, itemsPerRequest, v))
				require.Equal(t, itemsPerRequest, got.LogRecordCount())
				require.Equal(t, want, got)
			})
		}
		f(idsInAttributes, attributeSources, transform, config("transform_attributes"))
		f(idsInAttributes, attributeSources, ours, config("log_correlation"))
		f(idsInText, textSources, transform, config("transform_text"))
		f(idsInText, textSources, ours, config("log_correlation"))
	}
}

func throughLogs(t *testing.T, factory processor.Factory, config component.Config, ld plog.Logs) plog.Logs {
	var sink consumertest.LogsSink
	p, err := factory.CreateLogs(t.Context(), processortest.NewNopSettings(factory.Type()), config, &sink)
	require.NoError(t, err)
	require.NoError(t, p.Start(t.Context(), componenttest.NewNopHost()))
	require.NoError(t, p.ConsumeLogs(t.Context(), ld))
	return sink.AllLogs()[0]
}

func TestIDsDiffer(t *testing.T) {
	seen := map[string]int{}
	for n := range itemsPerRequest {
		seen[traceText(n)]++
		seen[spanText(n)]++
	}
	require.Len(t, seen, 2*itemsPerRequest)
}
