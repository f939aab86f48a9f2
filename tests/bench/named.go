// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"

	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/plog/plogotlp"
	"go.opentelemetry.io/collector/pdata/pmetric/pmetricotlp"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
	"go.opentelemetry.io/collector/processor/processortest"

	"github.com/otelcol-tc/otelcol-tc/processor/namingprocessor"
)

// named returns the load as naming leaves it.
func (l otlpLoad) named(ctx context.Context, keepOriginal bool) (otlpLoad, error) {
	factory := namingprocessor.NewFactory()
	set := processortest.NewNopSettings(factory.Type())
	config := factory.CreateDefaultConfig().(*namingprocessor.Config)
	config.KeepOriginal = keepOriginal
	switch l.signal {
	case "metrics":
		var sink consumertest.MetricsSink
		p, err := factory.CreateMetrics(ctx, set, config, &sink)
		r := pmetricotlp.NewExportRequest()
		if err = errors.Join(err, r.UnmarshalProto(l.request)); err != nil {
			return l, err
		}
		err = errors.Join(p.Start(ctx, componenttest.NewNopHost()), p.ConsumeMetrics(ctx, r.Metrics()), p.Shutdown(ctx))
		if err == nil {
			l.request, err = pmetricotlp.NewExportRequestFromMetrics(sink.AllMetrics()[0]).MarshalProto()
		}
		return l, err
	case "traces":
		var sink consumertest.TracesSink
		p, err := factory.CreateTraces(ctx, set, config, &sink)
		r := ptraceotlp.NewExportRequest()
		if err = errors.Join(err, r.UnmarshalProto(l.request)); err != nil {
			return l, err
		}
		err = errors.Join(p.Start(ctx, componenttest.NewNopHost()), p.ConsumeTraces(ctx, r.Traces()), p.Shutdown(ctx))
		if err == nil {
			l.request, err = ptraceotlp.NewExportRequestFromTraces(sink.AllTraces()[0]).MarshalProto()
		}
		return l, err
	default:
		var sink consumertest.LogsSink
		p, err := factory.CreateLogs(ctx, set, config, &sink)
		r := plogotlp.NewExportRequest()
		if err = errors.Join(err, r.UnmarshalProto(l.request)); err != nil {
			return l, err
		}
		err = errors.Join(p.Start(ctx, componenttest.NewNopHost()), p.ConsumeLogs(ctx, r.Logs()), p.Shutdown(ctx))
		if err == nil {
			l.request, err = plogotlp.NewExportRequestFromLogs(sink.AllLogs()[0]).MarshalProto()
		}
		return l, err
	}
}
