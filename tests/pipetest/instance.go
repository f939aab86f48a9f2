// SPDX-License-Identifier: Apache-2.0

package pipetest

import (
	"context"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/processor"
	"go.opentelemetry.io/collector/processor/processortest"
)

// instance is the processor of one signal.
type instance struct {
	component.Component
	consume func(context.Context, batch) error
}

// newInstance creates the processor for the signal of b.
func newInstance(ctx context.Context, factory processor.Factory, config component.Config, b batch, next *recorder) (*instance, error) {
	set := processortest.NewNopSettings(factory.Type())
	switch b.(type) {
	case ptrace.Traces:
		p, err := factory.CreateTraces(ctx, set, config, next)
		return wrap(p, processor.Traces.ConsumeTraces), err
	case pmetric.Metrics:
		p, err := factory.CreateMetrics(ctx, set, config, next)
		return wrap(p, processor.Metrics.ConsumeMetrics), err
	default:
		p, err := factory.CreateLogs(ctx, set, config, next)
		return wrap(p, processor.Logs.ConsumeLogs), err
	}
}

// signalProcessor contains the methods that processors of all signals have.
type signalProcessor interface {
	component.Component
	Capabilities() consumer.Capabilities
}

// wrap returns an instance for a processor of any signal.
func wrap[P signalProcessor, B batch](p P, consume func(P, context.Context, B) error) *instance {
	return &instance{
		Component: p,
		consume: func(ctx context.Context, b batch) error {
			// Makes a processor panic that changes data without declaring it.
			if !p.Capabilities().MutatesData {
				b.MarkReadOnly()
			}
			return consume(p, ctx, b.(B))
		},
	}
}
