// SPDX-License-Identifier: Apache-2.0

package wirelimitsextension

import (
	"context"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/extension"
	"go.opentelemetry.io/collector/extension/extensiontest"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/plog/plogotlp"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/pmetric/pmetricotlp"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
	"go.opentelemetry.io/collector/receiver/otlpreceiver"
	"go.opentelemetry.io/collector/receiver/receivertest"
	"go.opentelemetry.io/otel/attribute"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/otelcol-tc/otelcol-tc/tests/loopback"
	"github.com/otelcol-tc/otelcol-tc/tests/owntelemetry"
)

// rig is a stock otlp receiver with the extension as its middleware.
type rig struct {
	http, grpc string // addresses
	telemetry  *componenttest.Telemetry
	logged     *observer.ObservedLogs
	before     func(ctx context.Context) error // called by the pipeline first, unless nil

	mu     sync.Mutex
	bodies map[string][][]byte // that the pipeline took, by path; guarded by mu
}

// host has the extension.
type host struct {
	extensions map[component.ID]component.Component
}

func (h host) GetExtensions() map[component.ID]component.Component { return h.extensions }

func newRig(t *testing.T, change func(*Config)) *rig {
	t.Helper()
	return newRigWith(t, nil, change)
}

// newRigWith returns a rig whose pipeline calls a function before it takes a request.
func newRigWith(t *testing.T, before func(context.Context) error, change func(*Config)) *rig {
	t.Helper()
	r := &rig{before: before, bodies: map[string][][]byte{}, telemetry: componenttest.NewTelemetry()}
	t.Cleanup(func() { require.NoError(t, r.telemetry.Shutdown(context.Background())) })

	config := createDefaultConfig().(*Config)
	change(config)
	set := extensiontest.NewNopSettings(NewFactory().Type())
	set.TelemetrySettings = r.telemetry.NewTelemetrySettings()
	core, logged := observer.New(zap.WarnLevel)
	set.Logger, r.logged = zap.New(core), logged
	middleware, err := NewFactory().Create(t.Context(), set, config)
	require.NoError(t, err)
	start(t, middleware, host{})
	r.receive(t, middleware)
	return r
}

// receive starts the receiver for all signals.
func (r *rig) receive(t *testing.T, middleware extension.Extension) {
	t.Helper()
	addresses, err := loopback.FreeAddresses(2)
	require.NoError(t, err)
	r.grpc, r.http = addresses[0], addresses[1]
	named := []any{map[string]any{"id": "wire_limits"}}
	factory := otlpreceiver.NewFactory()
	config := factory.CreateDefaultConfig()
	require.NoError(t, confmap.NewFromStringMap(map[string]any{"protocols": map[string]any{
		"grpc": map[string]any{"endpoint": r.grpc, "middlewares": named},
		"http": map[string]any{"endpoint": r.http, "middlewares": named, "max_request_body_size": 4 << 20},
	}}).Unmarshal(config))
	set := receivertest.NewNopSettings(factory.Type())
	traces, err := factory.CreateTraces(t.Context(), set, config, last(t, r, consumer.NewTraces, "/v1/traces", func(td ptrace.Traces) ([]byte, error) {
		return ptraceotlp.NewExportRequestFromTraces(td).MarshalProto()
	}))
	require.NoError(t, err)
	metrics, err := factory.CreateMetrics(t.Context(), set, config, last(t, r, consumer.NewMetrics, "/v1/metrics", func(md pmetric.Metrics) ([]byte, error) {
		return pmetricotlp.NewExportRequestFromMetrics(md).MarshalProto()
	}))
	require.NoError(t, err)
	logs, err := factory.CreateLogs(t.Context(), set, config, last(t, r, consumer.NewLogs, "/v1/logs", func(ld plog.Logs) ([]byte, error) { return plogotlp.NewExportRequestFromLogs(ld).MarshalProto() }))
	require.NoError(t, err)
	with := host{map[component.ID]component.Component{component.NewID(NewFactory().Type()): middleware}}
	for _, c := range []component.Component{traces, metrics, logs} {
		start(t, c, with)
	}
}

// last returns the end of the pipeline, which keeps what it takes.
func last[Data, Consumer any, Consume ~func(context.Context, Data) error](t *testing.T, r *rig,
	create func(Consume, ...consumer.Option) (Consumer, error), path string, marshal func(Data) ([]byte, error),
) Consumer {
	t.Helper()
	c, err := create(func(ctx context.Context, data Data) error {
		if r.before != nil {
			if err := r.before(ctx); err != nil {
				return err
			}
		}
		body, err := marshal(data)
		r.mu.Lock()
		defer r.mu.Unlock()
		r.bodies[path] = append(r.bodies[path], body)
		return err
	})
	require.NoError(t, err)
	return c
}

func start(t *testing.T, c component.Component, h component.Host) {
	t.Helper()
	require.NoError(t, c.Start(t.Context(), h))
	t.Cleanup(func() { require.NoError(t, c.Shutdown(context.Background())) })
}

// refused returns the number of refused requests by rule and transport.
func (r *rig) refused() map[string]int64 {
	return r.counted("otelcol_wire_limits_refused_requests", "rule", "transport")
}

// counted returns a counter's values by their attributes.
func (r *rig) counted(name string, attributes ...attribute.Key) map[string]int64 {
	counts := map[string]int64{}
	for _, point := range owntelemetry.Points(r.telemetry, name) {
		var values []string
		for _, key := range attributes {
			value, _ := point.Attributes.Value(key)
			values = append(values, value.AsString())
		}
		counts[strings.Join(values, " ")] += point.Value
	}
	return counts
}

// inFlight returns the memory of the requests in flight.
func (r *rig) inFlight(t *testing.T) int64 {
	t.Helper()
	points := owntelemetry.Points(r.telemetry, "otelcol_wire_limits_in_flight")
	require.Len(t, points, 1)
	return points[0].Value
}
