// SPDX-License-Identifier: Apache-2.0

package wirelimitsextension

import (
	"context"
	"sync/atomic"

	"go.opentelemetry.io/collector/extension"
	"go.opentelemetry.io/collector/extension/extensionmiddleware"
	"go.opentelemetry.io/otel/metric"
	"go.uber.org/zap"

	"github.com/otelcol-tc/otelcol-tc/extension/wirelimitsextension/internal/metadata"
	"github.com/otelcol-tc/otelcol-tc/extension/wirelimitsextension/internal/poison"
	"github.com/otelcol-tc/otelcol-tc/extension/wirelimitsextension/internal/wire"
)

// middleware checks the requests of the receivers that use it. It is safe for concurrent use.
type middleware struct {
	config    *Config
	limits    wire.Limits
	inFlight  *inFlight
	telemetry *metadata.TelemetryBuilder
	logger    *zap.Logger
	logged    atomic.Int64 // the time of the last log entry, in nanoseconds
	set       extension.Settings
	journal   *poison.Journal // nil without a directory
	panics    places
}

var (
	_ extensionmiddleware.HTTPServer = (*middleware)(nil)
	_ extensionmiddleware.GRPCServer = (*middleware)(nil)
)

func newMiddleware(set extension.Settings, config *Config, telemetry *metadata.TelemetryBuilder) (*middleware, error) {
	m := &middleware{
		config:    config,
		limits:    wire.Limits{Depth: config.MaxDepth, Size: config.MaxDecodedMib << 20},
		inFlight:  &inFlight{limit: config.MaxInFlightMib << 20},
		telemetry: telemetry,
		logger:    set.Logger,
		set:       set,
	}
	return m, telemetry.RegisterWireLimitsInFlightCallback(func(_ context.Context, o metric.Int64Observer) error {
		o.Observe(int64(m.inFlight.total()))
		return nil
	})
}

// Shutdown implements component.Component. The receivers are shut down already.
func (m *middleware) Shutdown(context.Context) error {
	m.telemetry.Shutdown()
	return m.journal.Close()
}
