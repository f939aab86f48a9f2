// SPDX-License-Identifier: Apache-2.0

package example

import (
	"context"
	"errors"
	"strings"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/consumer/consumertest"
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

var _ policy.Extension = extension{}

func (e extension) Live() *policy.Live                        { return policy.NewLive(e.policy) }
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

// metrics returns the metrics that come out.
func (p pipe) metrics(ctx context.Context, in pmetric.Metrics) (pmetric.MetricSlice, error) {
	sink := &consumertest.MetricsSink{}
	naming, err := p.naming.CreateMetrics(ctx, p.settings(), p.naming.CreateDefaultConfig(), sink)
	if err != nil {
		return pmetric.NewMetricSlice(), err
	}
	if err := p.run(ctx, naming, func() error { return naming.ConsumeMetrics(ctx, in) }); err != nil {
		return pmetric.NewMetricSlice(), err
	}
	return sink.AllMetrics()[0].ResourceMetrics().At(0).ScopeMetrics().At(0).Metrics(), nil
}

// spanThrough returns the span that comes out.
func (p pipe) spanThrough(ctx context.Context, in ptrace.Traces) (ptrace.Span, error) {
	sink := &consumertest.TracesSink{}
	naming, err := p.naming.CreateTraces(ctx, p.settings(), p.naming.CreateDefaultConfig(), sink)
	if err != nil {
		return ptrace.NewSpan(), err
	}
	if err := p.run(ctx, naming, func() error { return naming.ConsumeTraces(ctx, in) }); err != nil {
		return ptrace.NewSpan(), err
	}
	return sink.AllTraces()[0].ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(0), nil
}

func (p pipe) run(ctx context.Context, c component.Component, consume func() error) error {
	if err := c.Start(ctx, p); err != nil {
		return err
	}
	return errors.Join(consume(), c.Shutdown(ctx))
}

// spanFrom returns a batch with one span, which comes from where an example states.
func spanFrom(pack *conventions.Pack, stated conventions.Origin) (ptrace.Traces, ptrace.Span) {
	td := ptrace.NewTraces()
	resource := td.ResourceSpans().AppendEmpty()
	scope := resource.ScopeSpans().AppendEmpty()
	scope.Scope().SetName(origin(pack, stated, resource.Resource().Attributes()))
	return td, scope.Spans().AppendEmpty()
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

func matching(glob string) string { return strings.ReplaceAll(glob, "*", "x") }
