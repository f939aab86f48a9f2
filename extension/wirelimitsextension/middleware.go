package wirelimitsextension

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/extension"
	"go.opentelemetry.io/collector/extension/extensionmiddleware"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"go.uber.org/zap"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/otelcol-tc/otelcol-tc/extension/wirelimitsextension/internal/metadata"
	"github.com/otelcol-tc/otelcol-tc/extension/wirelimitsextension/internal/wire"
)

// logEvery is how often a refused request is logged at most.
const logEvery = time.Minute

// middleware checks the requests of the receivers that name it. It is safe for concurrent
// use.
type middleware struct {
	component.StartFunc

	config    *Config
	limits    wire.Limits
	telemetry *metadata.TelemetryBuilder
	logger    *zap.Logger
	logged    atomic.Int64 // when, in nanoseconds
}

var (
	_ extensionmiddleware.HTTPServer = (*middleware)(nil)
	_ extensionmiddleware.GRPCServer = (*middleware)(nil)
)

func newMiddleware(set extension.Settings, config *Config, telemetry *metadata.TelemetryBuilder) *middleware {
	return &middleware{
		config:    config,
		limits:    wire.Limits{Depth: config.MaxDepth, Size: config.MaxDecodedMib << 20},
		telemetry: telemetry,
		logger:    set.Logger,
	}
}

// Shutdown implements component.Component.
func (m *middleware) Shutdown(context.Context) error {
	m.telemetry.Shutdown()
	return nil
}

// refuse counts a request and returns its answer: one after which clients do not try
// again.
func (m *middleware) refuse(ctx context.Context, broken wire.Rule, transport, client string) error {
	rule, answer := m.explain(broken)
	m.telemetry.WireLimitsRefusedRequests.Add(ctx, 1, metric.WithAttributes(
		attribute.String("rule", rule), attribute.String("transport", transport)))
	now, logged := time.Now().UnixNano(), m.logged.Load()
	if now-logged >= int64(logEvery) && m.logged.CompareAndSwap(logged, now) {
		m.logger.Warn("A request was refused. Those of the next minute are only counted, by otelcol_wire_limits_refused_requests.",
			zap.String("reason", answer), zap.String("transport", transport), zap.String("client", client))
	}
	return status.Error(codes.InvalidArgument, answer)
}

// explain returns the value of the attribute rule, and what a client is told.
func (m *middleware) explain(broken wire.Rule) (rule, answer string) {
	switch broken {
	case wire.TooDeep:
		return "max_depth", fmt.Sprintf("max_depth: messages must not be nested deeper than %d", m.config.MaxDepth)
	case wire.TooLarge:
		return "max_decoded_mib", fmt.Sprintf("max_decoded_mib: a request must not take more than %d MiB once decoded", m.config.MaxDecodedMib)
	default:
		return "json", "json: the request must be valid JSON"
	}
}
