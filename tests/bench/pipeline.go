package main

import _ "embed"

//go:embed configs/passthrough.yaml
var passThroughConfig string

//go:embed configs/naming.yaml
var namingConfig string

//go:embed configs/transform.yaml
var transformConfig string

//go:embed configs/cardinality.yaml
var cardinalityConfig string

//go:embed configs/aggregate.yaml
var aggregateConfig string

// pipeline is what a target runs: the pass-through with a configuration merged
// over it.
type pipeline struct {
	name    string
	configs []string
	// maxRatio is the cost that is too much, of the pass-through's; 0 for none.
	maxRatio float64
}

// pipelinesOf are compared for a signal; the first is what the others are measured
// against.
func pipelinesOf(signal string) []pipeline {
	all := []pipeline{
		{name: "otlp → nop"},
		{name: "otlp → naming → nop", configs: []string{namingConfig}, maxRatio: 1.10},
		{name: "otlp → transform → nop", configs: []string{transformConfig}},
	}
	if signal == "metrics" {
		all = append(all,
			pipeline{name: "otlp → naming → cardinality → nop", configs: []string{namingConfig, cardinalityConfig}, maxRatio: 1.25},
			pipeline{name: "otlp → transform, aggregate → nop", configs: []string{transformConfig, aggregateConfig}})
	}
	return all
}

// garbage says how Go's collector runs in all targets of a comparison.
type garbage struct {
	name, gogc, limit string
}

var (
	// equalRoom gives a target with a large live heap no rarer collections.
	equalRoom = garbage{"GOGC=off, GOMEMLIMIT=512MiB", "off", "512MiB"}
	byDefault = garbage{"GOGC=100", "100", "off"}
)
