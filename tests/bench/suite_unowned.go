package main

import (
	"context"

	"go.opentelemetry.io/collector/pdata/plog/plogotlp"
	"go.opentelemetry.io/collector/pdata/pmetric/pmetricotlp"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
)

// maxUnowned is what passing telemetry that no pack owns may cost, as a ratio to pass-through.
const maxUnowned = 1.05

// unownedTrials pass telemetry that no pack owns through all of ours for its signal, and compare that with the
// same binary without processors.
func unownedTrials(ctx context.Context, s scope) ([]trial, error) {
	return s.each(ctx, func(_ context.Context, signal string, attributes int) ([]trial, error) {
		l, err := newUnownedLoad(signal, attributes)
		own := oursOf[signal]
		return []trial{{l, []pipeline{
			asShipped.passThrough(),
			asShipped.through(signal, own.processors, own.configs()...).atMost(maxUnowned),
		}}}, err
	})
}

func newUnownedLoad(signal string, attributes int) (l otlpLoad, err error) {
	switch signal {
	case "metrics":
		l = metricLoad(attributes)
		l.request, err = pmetricotlp.NewExportRequestFromMetrics(newMetricsOf(nobodysMetrics, attributes, itemsPerRequest)).MarshalProto()
	case "traces":
		l = traceLoad(attributes)
		l.request, err = ptraceotlp.NewExportRequestFromTraces(newTracesOf(nobodysSpans, attributes, itemsPerRequest)).MarshalProto()
	default:
		l = logLoad(attributes)
		l.request, err = plogotlp.NewExportRequestFromLogs(newLogs(attributes, itemsPerRequest, ofNobody)).MarshalProto()
	}
	l.variant = ofNobody
	return l, err
}
