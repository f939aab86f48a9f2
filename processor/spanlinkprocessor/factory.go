// SPDX-License-Identifier: Apache-2.0

package spanlinkprocessor

import (
	"context"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/processor"
	"go.opentelemetry.io/collector/processor/processorhelper"

	"github.com/otelcol-tc/otelcol-tc/internal/policy"
	"github.com/otelcol-tc/otelcol-tc/processor/spanlinkprocessor/internal/metadata"
)

// NewFactory returns the factory of the span_link processor.
func NewFactory() processor.Factory {
	return processor.NewFactory(metadata.Type, createDefaultConfig,
		processor.WithTraces(createTraces, metadata.TracesStability))
}

func createTraces(ctx context.Context, set processor.Settings, cfg component.Config, next consumer.Traces) (processor.Traces, error) {
	l := newLinker(set, cfg.(*Config), next)
	traces, err := processorhelper.NewTraces(ctx, set, cfg, next, l.process,
		processorhelper.WithCapabilities(consumer.Capabilities{MutatesData: l.config.Mode != policy.Audit}),
		processorhelper.WithStart(l.start),
		processorhelper.WithShutdown(l.shutdown))
	return holder{traces, l}, err
}
