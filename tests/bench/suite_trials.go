// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"slices"
)

// maxShipped are the highest ratios to stock pass-through that all of ours for a signal may have.
var maxShipped = map[string]float64{"metrics": 0.95, "traces": 0.90, "logs": 0.85}

// shippedTrials compare all of ours for a signal with stock pass-through, and with pass-through of the same
// binary.
func shippedTrials(ctx context.Context, s scope) ([]trial, error) {
	return s.each(ctx, func(_ context.Context, signal string, attributes int) (all []trial, err error) {
		loads, err := enforcedLoads(signal, attributes)
		for _, l := range loads {
			processors := processorsOf[signal]
			var configs []string
			for _, processor := range processors {
				configs = append(configs, config(processor))
			}
			all = append(all, trial{l, []pipeline{
				stock.passThrough().oursAtMost(maxShipped[signal]), shipped.passThrough(), shipped.through(signal, processors, configs...),
			}})
		}
		return all, err
	})
}

// processorsOf are our processors of each signal, in their order.
var processorsOf = map[string][]string{
	"metrics": {"naming", "cardinality"},
	"traces":  {"naming", "span_link"},
	"logs":    {"naming", "log_correlation"},
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

// fileTrials read the lines of files, and find the same fields in them.
func fileTrials(_ context.Context, s scope) ([]trial, error) {
	if !slices.Contains(s.signals, "logs") {
		return nil, nil
	}
	return []trial{{newLineLoad(linesPerFile), []pipeline{
		stock.running("file_log, regex_parser → nop", config("file_log"), config("file_log_regex")).oursAtMost(1. / 3),
		stock.running("file_log → nop", config("file_log")),
		shipped.running("runtime_log → nop", config("runtime_log")),
	}}}, nil
}

// maxUnowned is what passing telemetry that no pack owns may cost, as a ratio to only forwarding it.
const maxUnowned = 1.05

// forwardingAgent is the agent without the processors that change data.
var forwardingAgent = shipped.running("builtin:agent, only forwarding", append(slices.Clone(agentProfile.configs), config("profiles/forwarding"))...)

// unownedTrials pass telemetry that no pack owns through the agent as it is shipped, and compare that with
// one that only forwards.
func unownedTrials(ctx context.Context, s scope) ([]trial, error) {
	return s.each(ctx, func(_ context.Context, signal string, attributes int) ([]trial, error) {
		l, err := newLoad(signal, attributes, ofNobody)
		whole := &profileLoad{load: l, profile: agentProfile, items: itemsPerRequest}
		return []trial{{whole, []pipeline{forwardingAgent.oursAtMost(maxUnowned), agentProfile}}}, err
	})
}
