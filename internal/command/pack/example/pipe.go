// SPDX-License-Identifier: Apache-2.0

package example

import (
	"context"
	"errors"
	"strings"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/processor"
	noopmetric "go.opentelemetry.io/otel/metric/noop"
	nooptrace "go.opentelemetry.io/otel/trace/noop"
	"go.uber.org/zap"

	"github.com/otelcol-tc/otelcol-tc/conventions"
	"github.com/otelcol-tc/otelcol-tc/internal/policy"
)

// pipe sends telemetry through the naming processor with the policy of one pack. Each batch has a processor
// of its own, so that no example depends on an earlier one.
type pipe struct {
	naming processor.Factory
	policy *policy.Policy
}

// GetExtensions implements component.Host.
func (p pipe) GetExtensions() map[component.ID]component.Component {
	return map[component.ID]component.Component{component.MustNewID("conventions"): extension(p)}
}

// extension is a conventions extension.
type extension pipe

func (e extension) Policy() *policy.Policy                    { return e.policy }
func (extension) Start(context.Context, component.Host) error { return nil }
func (extension) Shutdown(context.Context) error              { return nil }

func (p pipe) settings() processor.Settings {
	return processor.Settings{
		ID: component.NewID(p.naming.Type()),
		TelemetrySettings: component.TelemetrySettings{
			Logger: zap.NewNop(), TracerProvider: nooptrace.NewTracerProvider(), MeterProvider: noopmetric.NewMeterProvider(),
			Resource: pcommon.NewResource(),
		},
	}
}

func (p pipe) metrics(ctx context.Context, in pmetric.Metrics) (pmetric.Metrics, error) {
	out := pmetric.NewMetrics()
	sink, err := consumer.NewMetrics(func(_ context.Context, md pmetric.Metrics) error {
		md.CopyTo(out)
		return nil
	})
	if err != nil {
		return out, err
	}
	naming, err := p.naming.CreateMetrics(ctx, p.settings(), p.naming.CreateDefaultConfig(), sink)
	if err != nil {
		return out, err
	}
	return out, p.run(ctx, naming, func() error { return naming.ConsumeMetrics(ctx, in) })
}

func (p pipe) traces(ctx context.Context, in ptrace.Traces) (ptrace.Traces, error) {
	out := ptrace.NewTraces()
	sink, err := consumer.NewTraces(func(_ context.Context, td ptrace.Traces) error {
		td.CopyTo(out)
		return nil
	})
	if err != nil {
		return out, err
	}
	naming, err := p.naming.CreateTraces(ctx, p.settings(), p.naming.CreateDefaultConfig(), sink)
	if err != nil {
		return out, err
	}
	return out, p.run(ctx, naming, func() error { return naming.ConsumeTraces(ctx, in) })
}

func (p pipe) run(ctx context.Context, c component.Component, consume func() error) error {
	if err := c.Start(ctx, p); err != nil {
		return err
	}
	return errors.Join(consume(), c.Shutdown(ctx))
}

// origin fills a resource and returns the scope of an example: those that it states, or else those that the
// pack owns.
func origin(pack *conventions.Pack, stated conventions.Origin, resource pcommon.Map) (scope string) {
	if len(stated.Resource) > 0 {
		for key, value := range stated.Resource {
			resource.PutStr(key, value)
		}
		return stated.Scope
	}
	if len(pack.Owns.Resource) > 0 {
		first := &pack.Owns.Resource[0]
		resource.PutStr(first.Key, matching(first.Values[0].String()))
		return stated.Scope
	}
	if stated.Scope == "" && len(pack.Owns.Scopes) > 0 {
		return matching(pack.Owns.Scopes[0].String())
	}
	return stated.Scope
}

// matching returns a text that a glob matches.
func matching(glob string) string { return strings.ReplaceAll(glob, "*", "x") }
