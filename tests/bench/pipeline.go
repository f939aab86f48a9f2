package main

import _ "embed"

//go:embed configs/passthrough.yaml
var passThroughConfig string

//go:embed configs/naming.yaml
var namingConfig string

//go:embed configs/transform.yaml
var transformConfig string

// pipeline is what a target runs: the pass-through with a configuration merged
// over it.
type pipeline struct {
	name   string
	config string
}

const namingPipeline = "otlp → naming → nop"

// pipelines are compared; the first is what the others are measured against.
var pipelines = []pipeline{
	{name: "otlp → nop"},
	{namingPipeline, namingConfig},
	{"otlp → transform → nop", transformConfig},
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
