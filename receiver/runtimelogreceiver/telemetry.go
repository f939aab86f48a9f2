// SPDX-License-Identifier: Apache-2.0

package runtimelogreceiver

import (
	"context"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/otelcol-tc/otelcol-tc/conventions/logformat"
	"github.com/otelcol-tc/otelcol-tc/receiver/runtimelogreceiver/internal/metadata"
	"github.com/otelcol-tc/otelcol-tc/receiver/runtimelogreceiver/internal/tail"
)

// unknownFormat is the attribute value for records whose first line matches no format.
const unknownFormat = "none"

// telemetry counts what the receiver does. Attribute sets are created at the start, and none
// contains text of a log.
type telemetry struct {
	*metadata.TelemetryBuilder
	formats map[string]metric.MeasurementOption // by name
	reasons map[tail.Reason]metric.MeasurementOption
}

func newTelemetry(set component.TelemetrySettings, formats *logformat.Formats) (*telemetry, error) {
	builder, err := metadata.NewTelemetryBuilder(set)
	if err != nil {
		return nil, err
	}
	t := &telemetry{
		TelemetryBuilder: builder,
		formats:          map[string]metric.MeasurementOption{}, reasons: map[tail.Reason]metric.MeasurementOption{},
	}
	for _, reason := range tail.Reasons {
		t.reasons[reason] = metric.WithAttributes(attribute.String("reason", string(reason)))
	}
	for _, name := range append(formats.Names(), unknownFormat) {
		t.formats[name] = metric.WithAttributes(attribute.String("format", name))
	}
	return t, nil
}

// tally counts the records of a batch by format, which is nil if unknown.
type tally map[*logformat.Format]int64

func (t *telemetry) delivered(ctx context.Context, records tally) {
	for format, count := range records {
		name := unknownFormat
		if format != nil {
			name = format.Name
		}
		t.RuntimeLogRecords.Add(ctx, count, t.formats[name])
	}
}

func (t *telemetry) skipped(reason tail.Reason) {
	t.RuntimeLogSkippedFiles.Add(context.Background(), 1, t.reasons[reason])
}
