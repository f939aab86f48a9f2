// SPDX-License-Identifier: Apache-2.0

package main

import "context"

// limits are the highest ratios to stock pass-through that the enforcement of each signal
// may have.
type limits map[string]float64

func shippedTrials(ctx context.Context, s scope) ([]trial, error) {
	return enforcement{asShipped, stockDefault, limits{"metrics": 0.95, "traces": 0.90, "logs": 0.85}}.trials(ctx, s)
}

func equalTrials(ctx context.Context, s scope) ([]trial, error) {
	return enforcement{oursEqual, stockEqual, limits{"metrics": 1.25, "traces": 1.20, "logs": 1.15}}.trials(ctx, s)
}

// enforcement compares all of ours for a signal with stock pass-through, and with what stock
// parts do instead.
type enforcement struct {
	ours, stock flavour
	limits      limits
}

func (e enforcement) trials(ctx context.Context, s scope) ([]trial, error) {
	return s.each(ctx, func(_ context.Context, signal string, attributes int) ([]trial, error) {
		loads, err := enforcedLoads(signal, attributes)
		if err != nil {
			return nil, err
		}
		var all []trial
		for _, l := range loads {
			all = append(all, trial{l, e.pipelines(l, s.full)})
		}
		return all, nil
	})
}

// enforcedLoads have something to do for each of our processors.
func enforcedLoads(signal string, attributes int) ([]otlpLoad, error) {
	switch signal {
	case "metrics":
		l, err := newLoad(signal, attributes, asSent)
		return []otlpLoad{l}, err
	case "traces":
		l, err := newLinkLoad(attributes)
		return []otlpLoad{l}, err
	}
	inAttributes, err := newLoad(signal, attributes, idsInAttributes)
	if err != nil {
		return nil, err
	}
	inText, err := newLoad(signal, attributes, idsInText)
	return []otlpLoad{inAttributes, inText}, err
}

// pipelines are those of a load; in full also what of the costs are the two binaries' own.
func (e enforcement) pipelines(l otlpLoad, full bool) []pipeline {
	own := oursOf[l.signal]
	all := []pipeline{e.stock.passThrough(), e.ours.through(l.signal, own.processors, own.configs()...).atMost(e.limits[l.signal])}
	all = append(all, e.instead(l)...)
	if !full {
		return all
	}
	return append(all, e.ours.passThrough(), e.stock.pipeline("otlp → batch → nop", config("batch")))
}

// oursOf are our processors of each signal, in their order.
var oursOf = map[string]own{
	"metrics": {[]string{"naming", "cardinality"}},
	"traces":  {[]string{"naming", "span_link"}},
	"logs":    {[]string{"naming", "log_correlation"}},
}

type own struct{ processors []string }

func (o own) configs() (texts []string) {
	for _, processor := range o.processors {
		texts = append(texts, config(processor))
	}
	return texts
}

// instead are the stock parts that do the same, as far as there are any.
func (e enforcement) instead(l otlpLoad) []pipeline {
	switch {
	case l.signal == "metrics":
		return []pipeline{e.stock.through(l.signal, []string{"transform", "metrics_transform"}, config("transform"), config("metrics_transform"))}
	case l.signal == "traces":
		return []pipeline{
			e.stock.pipeline("otlp → service_graph, nop", config("service_graph")),
			e.stock.pipeline("otlp → groupbytrace → nop", config("group_by_trace")),
		}
	case l.variant == idsInAttributes:
		return []pipeline{e.stock.through(l.signal, []string{"transform"}, config("transform_attributes"))}
	}
	return []pipeline{e.stock.through(l.signal, []string{"transform"}, config("transform_text"))}
}
