package cardinalityprocessor

import (
	"context"

	"go.opentelemetry.io/otel/metric"
)

// observe reports what the budgets hold whenever it is asked.
func (p *cardinalityProcessor) observe() error {
	err := p.telemetry.RegisterCardinalityMemoryCallback(func(_ context.Context, o metric.Int64Observer) error {
		o.Observe(p.memory.used.Load())
		return nil
	})
	if err != nil {
		return err
	}
	if err = p.telemetry.RegisterCardinalitySeriesCallback(func(_ context.Context, o metric.Int64Observer) error {
		series := int64(0)
		for _, s := range p.services.All() {
			series += s.series.Load()
		}
		o.Observe(series)
		return nil
	}); err != nil {
		return err
	}
	return p.telemetry.RegisterCardinalityStreamsCallback(func(_ context.Context, o metric.Int64Observer) error {
		streams := int64(0)
		for _, s := range p.services.All() {
			streams += s.streams.Load()
		}
		o.Observe(streams)
		return nil
	})
}
