// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/pprof/profile"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const ours = "github.com/otelcol-tc/otelcol-tc/"

func TestStageOfStacks(t *testing.T) {
	for _, s := range stages {
		require.NotEmpty(t, s.Functions, s.Name) // else it matches all
		if s.Stack != nil {
			assert.Equal(t, s.Name, stageOf(s.Stack))
		}
	}
	assert.Equal(t, runtimeStage, stageOf([]string{"runtime.futex", "runtime.schedule", "runtime.mcall"}))
	assert.Equal(t, unknownStage, stageOf([]string{"runtime.mallocgc", "example.com/of.Nobody"}))
}

// What is added here later is a stage, too.
func TestOurComponentsAreStages(t *testing.T) {
	for _, kind := range []string{"connector", "exporter", "processor", "receiver"} {
		folders, err := os.ReadDir(filepath.Join("../..", kind))
		require.NoError(t, err)
		require.NotEmpty(t, folders)
		for _, f := range folders {
			assert.NotEmpty(t, stageOfFunction(ours+kind+"/"+f.Name()+".(*component).Start"), f.Name())
		}
	}
}

func TestByStage(t *testing.T) {
	function := func(name string) profile.Line { return profile.Line{Function: &profile.Function{Name: name}} }
	// The first function is inlined into the second.
	naming := &profile.Location{Line: []profile.Line{function("strings.Cut"), function(ours + "processor/namingprocessor.(*walk).span")}}
	server := &profile.Location{Line: []profile.Line{function("google.golang.org/grpc.(*Server).processRPC")}}
	p := &profile.Profile{
		SampleType: []*profile.ValueType{{Type: "samples"}, {Type: "cpu"}},
		Sample: []*profile.Sample{
			{Location: []*profile.Location{naming, server}, Value: []int64{1, 10}},
			{Location: []*profile.Location{server}, Value: []int64{3, 30}},
			{Location: []*profile.Location{naming}, Value: []int64{1, 10}},
		},
	}
	assert.Equal(t, map[string]int64{"naming": 20, "receiving": 30}, byStage(p, "cpu"))
}
