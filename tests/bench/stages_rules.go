// SPDX-License-Identifier: Apache-2.0

package main

import (
	_ "embed"
	"regexp"
	"slices"
	"strings"

	"github.com/google/pprof/profile"
	"go.yaml.in/yaml/v3"
)

const (
	// runtimeStage has the stacks that are the runtime's alone.
	runtimeStage = "runtime"
	// unknownStage has what no stage names.
	unknownStage = "other"
)

// stage is a part of the work, the functions that do it: some name of theirs matches; and an example.
type stage struct {
	Name      string
	Functions string
	Stack     []string
	functions *regexp.Regexp
}

//go:embed stages.yaml
var stagesFile []byte

// stages are those of stages.yaml.
var stages = func() (all []stage) {
	if err := yaml.Unmarshal(stagesFile, &all); err != nil {
		panic(err) // the file is a part of this program
	}
	for i := range all {
		all[i].functions = regexp.MustCompile(all[i].Functions)
	}
	return all
}()

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
			return s.Name
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
