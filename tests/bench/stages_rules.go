// SPDX-License-Identifier: Apache-2.0

package main

import (
	"regexp"
	"slices"
	"strings"

	"github.com/google/pprof/profile"
)

const (
	// runtimeStage has the stacks that are the runtime's alone.
	runtimeStage = "runtime"
	// unknownStage has what no stage names.
	unknownStage = "other"
)

// stage is a part of the work, and the functions that do it: some name of theirs matches.
type stage struct {
	name      string
	functions *regexp.Regexp
}

// stages are looked through in order. Their functions are those that no other part of the work calls: what several
// call, such as the rest of pdata, of the runtime and of the system, counts for whoever calls it.
var stages = []stage{
	{"garbage collection", regexp.MustCompile(`^runtime\.(gc[A-Z(]|bgsweep|bgscavenge|deductSweepCredit|wbBuf|bulkBarrier|\(\*(sweepLocked|gcWork|mheap\)\.reclaim))`)},
	{"decompression", regexp.MustCompile(`grpc\.decompress|compress/.*([dD]ecod|[dD]ecompress|Reader)|confighttp\.\(\*decompressor`)},
	{"compression", regexp.MustCompile(`grpc\.compress|compress/|confighttp\.\(\*compress`)},
	{"decoding", regexp.MustCompile(`pdata/.*([uU]nmarshalProto|codecV2\)\.Unmarshal)`)},
	{"encoding", regexp.MustCompile(`pdata/.*((Marshal|marshal|Size|size)Proto|codecV2\)\.Marshal)`)},
	{"wire checks", regexp.MustCompile(`extension/wirelimitsextension`)},
	{"content", regexp.MustCompile(`otelcol-tc/internal/(protect|redact)`)},
	{"naming", regexp.MustCompile(`processor/namingprocessor`)},
	{"cardinality", regexp.MustCompile(`processor/cardinalityprocessor`)},
	{"span links", regexp.MustCompile(`processor/spanlinkprocessor`)},
	{"log correlation", regexp.MustCompile(`processor/logcorrelationprocessor`)},
	{"correlation index", regexp.MustCompile(`extension/correlationindexextension`)},
	{"conformance", regexp.MustCompile(`connector/conformanceconnector`)},
	{"conventions", regexp.MustCompile(`extension/conventionsextension|otelcol-tc/conventions`)},
	{"stock processors", regexp.MustCompile(`contrib/(processor|connector)/|collector/processor/batchprocessor`)},
	{"batching", regexp.MustCompile(`spilloverconnector/internal/batcher`)},
	{"queue", regexp.MustCompile(`connector/spilloverconnector|otelcol-tc/internal/(delivery|disk)`)},
	{"Prometheus page", regexp.MustCompile(`exporter/prometheuspageexporter`)},
	{"routing", regexp.MustCompile(`exporter/rendezvousexporter`)},
	{"sending", regexp.MustCompile(`collector/exporter/|extension/partialsuccess|grpc\.(\(\*(ClientConn|clientStream|csAttempt)|invoke|prepareMsg)|transport\.(\(\*http2Client|NewHTTP2Client)|net/http\.(\(\*(persistConn|Transport|Client)\)|persistConn)`)},
	{"receiving", regexp.MustCompile(`collector/receiver/|collector/config/config(grpc|http)|grpc\.(\(\*(Server|serverStream)\)|recv)|transport\.(\(\*http2Server|NewServerTransport)`)},
	{"host metrics", regexp.MustCompile(`receiver/hostmetricsreceiver|collector/scraper/`)},
	{"log files", regexp.MustCompile(`receiver/runtimelogreceiver`)},
	{"scraping", regexp.MustCompile(`receiver/prometheusreceiver|prometheus/prometheus/`)},
	{"own telemetry", regexp.MustCompile(`^go\.opentelemetry\.io/(otel|contrib)[/.]|prometheus/(client_golang|common)|net/http\.\(\*conn\)|extension/readinessextension|otelcol-tc/internal/runtimetune`)},
	{"pipelines", regexp.MustCompile(`collector/(consumer|internal|service/internal/refconsumer|processor)`)},
	{"start", regexp.MustCompile(`^(main\.main|runtime\.doInit)`)},
}

// stageOf returns the stage of a stack, innermost function first: of the first function that a stage names.
func stageOf(stack []string) string {
	for _, function := range stack {
		if name := stageOfFunction(function); name != "" {
			return name
		}
	}
	if last := stack[len(stack)-1]; strings.HasPrefix(last, "runtime.") || !strings.Contains(last, ".") {
		return runtimeStage
	}
	return unknownStage
}

func stageOfFunction(function string) string {
	// Type arguments have names of other packages.
	if before, after, generic := strings.Cut(function, "["); generic {
		function = before + after[strings.LastIndexByte(after, ']')+1:]
	}
	for _, s := range stages {
		if s.functions.MatchString(function) {
			return s.name
		}
	}
	return ""
}

// byStage adds the values of one type up.
func byStage(p *profile.Profile, valueType string) map[string]int64 {
	value := slices.IndexFunc(p.SampleType, func(t *profile.ValueType) bool { return t.Type == valueType })
	sums := map[string]int64{}
	for _, s := range p.Sample {
		var stack []string
		for _, location := range s.Location {
			for _, line := range location.Line {
				stack = append(stack, line.Function.Name)
			}
		}
		sums[stageOf(stack)] += s.Value[value]
	}
	return sums
}
