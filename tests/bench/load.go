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

	"github.com/otelcol-tc/otelcol-tc/processor/namingprocessor"
)

// itemsPerRequest is the batch size that SDKs use.
const itemsPerRequest = 512

const spansPerTrace = 8

// otlpLoad is one OTLP request, encoded once, again and again (request.go).
type otlpLoad struct {
	signal     string
	attributes int // of each item
	items      int // of a request
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

// newLoad is a request of a signal.
func newLoad(signal string, attributes int, v variant) (otlpLoad, error) {
	prefix := ""
	if v == ofNobody {
		prefix = "nobodys_"
	}
	switch signal {
	case "metrics":
		return encode(attributes, v, newMetrics(sources[prefix+"metrics"], attributes))
	case "traces":
		return encode(attributes, v, newTraces(sources[prefix+"spans"], attributes))
	}
	return encode(attributes, v, newLogs(attributes, v))
}

// encode makes a load of telemetry.
func encode(attributes int, v variant, data any) (otlpLoad, error) {
	l := otlpLoad{attributes: attributes, items: itemsPerRequest, variant: v}
	var err error
	switch d := data.(type) {
	case pmetric.Metrics:
		l.signal = "metrics"
		l.request, err = pmetricotlp.NewExportRequestFromMetrics(d).MarshalProto()
	case ptrace.Traces:
		l.signal = "traces"
		l.request, err = ptraceotlp.NewExportRequestFromTraces(d).MarshalProto()
	case plog.Logs:
		l.signal = "logs"
		l.request, err = plogotlp.NewExportRequestFromLogs(d).MarshalProto()
	}
	return l, err
}

// decode returns the telemetry of a load.
func (l otlpLoad) decode() (data any, err error) {
	switch l.signal {
	case "metrics":
		r := pmetricotlp.NewExportRequest()
		err = r.UnmarshalProto(l.request)
		return r.Metrics(), err
	case "traces":
		r := ptraceotlp.NewExportRequest()
		err = r.UnmarshalProto(l.request)
		return r.Traces(), err
	}
	r := plogotlp.NewExportRequest()
	err = r.UnmarshalProto(l.request)
	return r.Logs(), err
}

var methods = map[string]string{
	"metrics": "/opentelemetry.proto.collector.metrics.v1.MetricsService/Export",
	"traces":  "/opentelemetry.proto.collector.trace.v1.TraceService/Export",
	"logs":    "/opentelemetry.proto.collector.logs.v1.LogsService/Export",
}

// rejected reads how many items a response says were not accepted.
func (l otlpLoad) rejected(response []byte) (int64, error) {
	switch l.signal {
	case "metrics":
		r := pmetricotlp.NewExportResponse()
		err := r.UnmarshalProto(response)
		return r.PartialSuccess().RejectedDataPoints(), err
	case "traces":
		r := ptraceotlp.NewExportResponse()
		err := r.UnmarshalProto(response)
		return r.PartialSuccess().RejectedSpans(), err
	}
	r := plogotlp.NewExportResponse()
	err := r.UnmarshalProto(response)
	return r.PartialSuccess().RejectedLogRecords(), err
}

// named returns the load as naming leaves it.
func (l otlpLoad) named(ctx context.Context) (otlpLoad, error) {
	factory := namingprocessor.NewFactory()
	config := factory.CreateDefaultConfig().(*namingprocessor.Config)
	config.KeepOriginal = true
	data, err := l.decode()
	if err == nil {
		data, err = processed(ctx, factory, config, data)
	}
	if err != nil {
		return l, err
	}
	return encode(l.attributes, l.variant, data)
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
