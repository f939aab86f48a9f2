package main

import (
	_ "embed"
	"time"
)

//go:embed configs/common.yaml
var commonConfig string

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

//go:embed configs/log_correlation.yaml
var logCorrelationConfig string

//go:embed configs/transform_attributes.yaml
var transformAttributesConfig string

//go:embed configs/transform_text.yaml
var transformTextConfig string

//go:embed configs/span_link.yaml
var spanLinkConfig string

//go:embed configs/service_graph.yaml
var serviceGraphConfig string

//go:embed configs/group_by_trace.yaml
var groupByTraceConfig string

//go:embed configs/four.yaml
var fourConfig string

//go:embed configs/conformance.yaml
var conformanceConfig string

//go:embed configs/whole.yaml
var wholeConfig string

//go:embed configs/file_log.yaml
var fileLogConfig string

//go:embed configs/file_log_regex.yaml
var fileLogRegexConfig string

//go:embed configs/runtime_log.yaml
var runtimeLogConfig string

// pipeline is what a target runs: configurations, each merged over those before.
type pipeline struct {
	name    string
	configs []string
	// The cost that is too much; 0 for none.
	maxRatio float64       // of the first pipeline's
	maxCPU   time.Duration // an item
}

// pipelinesOf are compared for a load that comes over OTLP.
func pipelinesOf(signal string, v variant) []pipeline {
	all := []pipeline{{name: "otlp → nop", configs: []string{passThroughConfig}}}
	switch v {
	case idsInAttributes:
		return append(all,
			pipeline{name: "otlp → log_correlation → nop", configs: []string{passThroughConfig, logCorrelationConfig}, maxRatio: 1.10},
			pipeline{name: "otlp → transform → nop", configs: []string{passThroughConfig, transformAttributesConfig}})
	case idsInText:
		return append(all,
			pipeline{name: "otlp → log_correlation → nop", configs: []string{passThroughConfig, logCorrelationConfig}, maxRatio: 1.15},
			pipeline{name: "otlp → transform → nop", configs: []string{passThroughConfig, transformTextConfig}})
	case tenthKeyed:
		return append(all, linkPipelines(1.10)...)
	case allKeyed:
		return append(all, linkPipelines(1.30)...)
	case judged:
		return judgedPipelines(signal, 1.10)
	case judgedWhole:
		return judgedPipelines(signal, 0, wholeConfig)
	}
	all = append(all,
		pipeline{name: "otlp → naming → nop", configs: []string{passThroughConfig, namingConfig}, maxRatio: 1.10},
		pipeline{name: "otlp → transform → nop", configs: []string{passThroughConfig, transformConfig}})
	if signal == "metrics" {
		all = append(all,
			pipeline{name: "otlp → naming → cardinality → nop", configs: []string{passThroughConfig, namingConfig, cardinalityConfig}, maxRatio: 1.25},
			pipeline{name: "otlp → transform, aggregate → nop", configs: []string{passThroughConfig, transformConfig, aggregateConfig}})
	}
	return all
}

// linkPipelines bring spans together. What the stock ones do is not the same: it is
// what is to be had.
func linkPipelines(maxRatio float64) []pipeline {
	return []pipeline{
		{name: "otlp → span_link → nop", configs: []string{passThroughConfig, spanLinkConfig}, maxRatio: maxRatio},
		{name: "otlp → service_graph, nop", configs: []string{passThroughConfig, serviceGraphConfig}},
		{name: "otlp → group_by_trace → nop", configs: []string{passThroughConfig, groupByTraceConfig}},
	}
}

// judgedPipelines are measured against the four processors, of which each signal has
// two.
func judgedPipelines(signal string, maxRatio float64, more ...string) []pipeline {
	two := map[string]string{
		"metrics": "naming → cardinality", "traces": "naming → span_link", "logs": "naming → log_correlation",
	}[signal]
	return []pipeline{
		{name: "otlp → " + two + " → nop", configs: []string{passThroughConfig, fourConfig}},
		{name: "otlp → " + two + " → conformance, nop", configs: append([]string{passThroughConfig, fourConfig, conformanceConfig}, more...), maxRatio: maxRatio},
	}
}

// filePipelines are compared for lines of files.
var filePipelines = []pipeline{
	{name: "file_log → nop", configs: []string{fileLogConfig}},
	{name: "runtime_log → nop", configs: []string{runtimeLogConfig}, maxCPU: 2 * time.Microsecond},
	{name: "file_log, regex_parser → nop", configs: []string{fileLogConfig, fileLogRegexConfig}},
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
