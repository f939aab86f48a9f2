// SPDX-License-Identifier: Apache-2.0

package spanlinkprocessor

import (
	"context"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/otelcol-tc/otelcol-tc/internal/conformance"
	"github.com/otelcol-tc/otelcol-tc/processor/spanlinkprocessor/internal/linkrule"
	"github.com/otelcol-tc/otelcol-tc/processor/spanlinkprocessor/internal/metadata"
)

// telemetry counts what the processor does. All label sets are made with the policy.
type telemetry struct {
	builder *metadata.TelemetryBuilder
	links   *conformance.LinkCounts
	rules   []metric.MeasurementOption
	names   []string // of the rules
}

func newTelemetry(builder *metadata.TelemetryBuilder, links *conformance.LinkCounts, rules []*linkrule.Rule) *telemetry {
	t := &telemetry{builder: builder, links: links}
	for _, r := range rules {
		t.names = append(t.names, r.Name)
		t.rules = append(t.rules, metric.WithAttributes(attribute.String("rule", r.Name)))
	}
	return t
}

// tally is what a batch adds to the counters.
type tally struct {
	counts []counts // by rule
}

type counts struct {
	matched, reversed, ambiguous, poisoned, capped, unlinked, unmet int64
}

func newTally(rules int) tally { return tally{make([]counts, rules)} }

// add adds a tally to the counters, and resets it.
func (t *telemetry) add(ctx context.Context, all *tally) {
	for i, c := range all.counts {
		if c == (counts{}) {
			continue
		}
		if c.unmet > 0 {
			t.links.AddUnmet(t.names[i], c.unmet)
		}
		for _, counted := range [...]struct {
			counter metric.Int64Counter
			n       int64
		}{
			{t.builder.SpanLinkMatched, c.matched},
			{t.builder.SpanLinkReversed, c.reversed},
			{t.builder.SpanLinkAmbiguous, c.ambiguous},
			{t.builder.SpanLinkPoisoned, c.poisoned},
			{t.builder.SpanLinkCapped, c.capped},
			{t.builder.SpanLinkUnlinked, c.unlinked},
			{t.builder.SpanLinkUnmet, c.unmet},
		} {
			if counted.n > 0 {
				counted.counter.Add(ctx, counted.n, t.rules[i])
			}
		}
	}
	clear(all.counts)
}

func (t *telemetry) held(ctx context.Context, r *linkrule.Rule) {
	t.builder.SpanLinkHeld.Add(ctx, 1, t.rules[r.Number])
}
