// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/plog/plogotlp"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/pmetric/pmetricotlp"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
	"go.opentelemetry.io/collector/processor"
	"go.opentelemetry.io/collector/processor/processortest"
)

// itemsPerRequest is the batch size that SDKs use.
const itemsPerRequest = 512

const spansPerTrace = 8

// otlpLoad is one OTLP request, encoded once, again and again (request.go).
type otlpLoad struct {
	signal     string
	attributes int   // of each item
	items      int64 // of a request
	variant    variant
	request    []byte
}

// variant is what sets a load apart from the one as the systems send it.
type variant string

const (
	asSent variant = ""
	// No pack owns the items.
	ofNobody variant = "no pack owns them"
	// The items are named, and of metrics each point is a series of its own.
	fromAgent variant = "as an agent leaves them"
)

func (l otlpLoad) String() string {
	if l.variant == asSent {
		return fmt.Sprintf("%s, %d attributes", l.signal, l.attributes)
	}
	return fmt.Sprintf("%s, %d attributes, %s", l.signal, l.attributes, l.variant)
}

func (otlpLoad) warmUps() int { return 1 }

func (l otlpLoad) feed(data, _ string) (feed, error) { return newSender(data, l) }

// encode makes a load of telemetry.
func encode(attributes int, v variant, data any) (otlpLoad, error) {
	l := otlpLoad{attributes: attributes, variant: v}
	var err error
	switch d := data.(type) {
	case pmetric.Metrics:
		l.signal, l.items = "metrics", int64(d.DataPointCount())
		l.request, err = pmetricotlp.NewExportRequestFromMetrics(d).MarshalProto()
	case ptrace.Traces:
		l.signal, l.items = "traces", int64(d.SpanCount())
		l.request, err = ptraceotlp.NewExportRequestFromTraces(d).MarshalProto()
	case plog.Logs:
		l.signal, l.items = "logs", int64(d.LogRecordCount())
		l.request, err = plogotlp.NewExportRequestFromLogs(d).MarshalProto()
	}
	return l, err
}

var methods = map[string]string{
	"metrics": "/opentelemetry.proto.collector.metrics.v1.MetricsService/Export",
	"traces":  "/opentelemetry.proto.collector.trace.v1.TraceService/Export",
	"logs":    "/opentelemetry.proto.collector.logs.v1.LogsService/Export",
}

// rejected reads how many items a response says were not accepted. The responses of all signals have the same fields.
func rejected(response []byte) (int64, error) {
	r := ptraceotlp.NewExportResponse()
	err := r.UnmarshalProto(response)
	return r.PartialSuccess().RejectedSpans(), err
}

// processed returns telemetry as a processor leaves it.
func processed(ctx context.Context, factory processor.Factory, config component.Config, data any) (any, error) {
	set, host := processortest.NewNopSettings(factory.Type()), componenttest.NewNopHost()
	switch d := data.(type) {
	case pmetric.Metrics:
		var sink consumertest.MetricsSink
		p, err := factory.CreateMetrics(ctx, set, config, &sink)
		if err == nil {
			err = errors.Join(p.Start(ctx, host), p.ConsumeMetrics(ctx, d), p.Shutdown(ctx))
		}
		return append(sink.AllMetrics(), d)[0], err
	case ptrace.Traces:
		var sink consumertest.TracesSink
		p, err := factory.CreateTraces(ctx, set, config, &sink)
		if err == nil {
			err = errors.Join(p.Start(ctx, host), p.ConsumeTraces(ctx, d), p.Shutdown(ctx))
		}
		return append(sink.AllTraces(), d)[0], err
	}
	logs := data.(plog.Logs)
	var sink consumertest.LogsSink
	p, err := factory.CreateLogs(ctx, set, config, &sink)
	if err == nil {
		err = errors.Join(p.Start(ctx, host), p.ConsumeLogs(ctx, logs), p.Shutdown(ctx))
	}
	return append(sink.AllLogs(), logs)[0], err
}
