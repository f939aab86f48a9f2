// SPDX-License-Identifier: Apache-2.0

package readinessextension

import (
	"context"
	"errors"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
)

// observe registers the extension's own metrics. Conditions without a component have the value 0, so that
// an alert sees the start of a condition.
func (r *readiness) observe() error {
	return errors.Join(
		r.telemetry.RegisterReadinessConditionsCallback(func(_ context.Context, o metric.Int64Observer) error {
			counts := map[string]int64{}
			for _, c := range r.conditions() {
				counts[c.Condition]++
			}
			for _, condition := range allConditions {
				o.Observe(counts[condition], metric.WithAttributes(attribute.String("condition", condition)))
			}
			return nil
		}),
		r.telemetry.RegisterReadinessReadyCallback(func(_ context.Context, o metric.Int64Observer) error {
			if ready(r.conditions()) {
				o.Observe(1)
			} else {
				o.Observe(0)
			}
			return nil
		}))
}
