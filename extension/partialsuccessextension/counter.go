// SPDX-License-Identifier: Apache-2.0

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

// signal is the value of the attribute signal.
type signal string

const (
	traces  signal = "traces"
	metrics signal = "metrics"
	logs    signal = "logs"
)

// answered counts the items that a response rejects. It also adds 0 for a response without
// rejections, so that an endpoint's series begins with its first response and an alert sees the
// first increase.
func (c *counter) answered(ctx context.Context, endpoint string, s signal, rejected int64) {
	// OTLP does not allow negative numbers.
	c.telemetry.PartialSuccessRejectedItems.Add(ctx, max(rejected, 0), metric.WithAttributes(
		attribute.String("endpoint", endpoint), attribute.String("signal", string(s))))
}

// Shutdown implements component.Component.
func (c *counter) Shutdown(context.Context) error {
	c.telemetry.Shutdown()
	return nil
}
