package main

import (
	"context"
	"slices"
)

// wireTrials fold points on the wire: where four series become one, and where there is nothing
// to drop or to merge.
func wireTrials(ctx context.Context, s scope) ([]trial, error) {
	if !slices.Contains(s.signals, "metrics") {
		return nil, nil
	}
	s.signals = []string{"metrics"}
	return s.each(ctx, func(_ context.Context, signal string, attributes int) ([]trial, error) {
		folded, err := newSeriesLoad(attributes, fourToOne)
		if err != nil {
			return nil, err
		}
		distinct, err := newSeriesLoad(attributes, oneToOne)
		if err != nil {
			return nil, err
		}
		own := oursOf[signal]
		ordinary := asShipped.through(signal, own.processors, own.configs()...)
		instead := enforcement{stock: stockDefault}.instead(folded)
		wire := asShipped.through(signal, own.processors, append(own.configs(), config("wire"))...)
		wire.name = "otlp → naming → cardinality → nop, on the wire"
		return []trial{
			{folded, append([]pipeline{stockDefault.passThrough(), ordinary, wire.atMost(0.40)}, instead...)},
			{distinct, []pipeline{ordinary, wire.atMost(1.10)}},
		}, nil
	})
}
