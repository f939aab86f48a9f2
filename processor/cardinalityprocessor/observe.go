package cardinalityprocessor

import (
	"context"
	"errors"

	"go.opentelemetry.io/otel/metric"
)

// observe reports what the budgets hold whenever it is asked.
func (p *cardinalityProcessor) observe() error {
	report := func(value func() int64) metric.Int64Callback {
		return func(_ context.Context, o metric.Int64Observer) error {
			o.Observe(value())
			return nil
		}
	}
	return errors.Join(
		p.telemetry.RegisterCardinalityMemoryCallback(report(p.memory.used.Load)),
		p.telemetry.RegisterCardinalitySeriesCallback(report(p.sum(func(s *service) int64 { return s.series.Load() }))),
		p.telemetry.RegisterCardinalityStreamsCallback(report(p.sum(func(s *service) int64 { return s.streams.Load() }))))
}

// sum adds up what the services have.
func (p *cardinalityProcessor) sum(of func(*service) int64) func() int64 {
	return func() (total int64) {
		for _, s := range p.services.All() {
			total += of(s)
		}
		return total
	}
}
