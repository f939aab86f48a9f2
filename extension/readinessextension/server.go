// SPDX-License-Identifier: Apache-2.0

package readinessextension

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
)

// Answer is the body of a response.
type Answer struct {
	Ready      bool        `json:"ready"`
	Conditions []Condition `json:"conditions"`
}

func newHandler(conditions func() []Condition) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		answer := Answer{Conditions: conditions()}
		if answer.Conditions == nil {
			answer.Conditions = []Condition{}
		}
		answer.Ready = ready(answer.Conditions)
		header := w.Header()
		header.Set("Content-Type", "application/json")
		header.Set("Cache-Control", "no-store")
		header.Set("X-Content-Type-Options", "nosniff")
		if !answer.Ready {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
		encoder := json.NewEncoder(w)
		encoder.SetIndent("", "  ") // readable
		_ = encoder.Encode(answer)  // the client may have disconnected
	})
	return mux
}

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
