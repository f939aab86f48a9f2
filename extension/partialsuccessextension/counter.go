package partialsuccessextension

import (
	"context"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/otelcol-tc/otelcol-tc/extension/partialsuccessextension/internal/metadata"
)

// counter counts rejected items. It is safe for concurrent use.
type counter struct {
	component.StartFunc

	telemetry *metadata.TelemetryBuilder
}

// signal is the value of the label signal.
type signal string

const (
	traces  signal = "traces"
	metrics signal = "metrics"
	logs    signal = "logs"
)

// answered counts what the answer to one request rejects. An endpoint's series begins with its
// first answer and not with its first rejection, so that an alert sees it grow.
func (c *counter) answered(ctx context.Context, endpoint string, s signal, rejected int64) {
	// A number that OTLP does not allow says nothing.
	c.telemetry.PartialSuccessRejectedItems.Add(ctx, max(rejected, 0), metric.WithAttributeSet(attribute.NewSet(
		attribute.String("endpoint", endpoint), attribute.String("signal", string(s)))))
}

// Shutdown implements component.Component.
func (c *counter) Shutdown(context.Context) error {
	c.telemetry.Shutdown()
	return nil
}
