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
	for name, stack := range map[string][]string{
		"decoding": {"runtime.mallocgc", "runtime.growslice", "go.opentelemetry.io/collector/pdata/internal.(*Span).UnmarshalProto",
			ours + "extension/wirelimitsextension.(*codec).Unmarshal", "google.golang.org/grpc.recv"},
		"garbage collection": {"runtime.scanobject", "runtime.gcDrainN", "runtime.gcAssistAlloc1", "runtime.mallocgc",
			"go.opentelemetry.io/collector/pdata/internal.(*Span).UnmarshalProto"},
		"naming": {"runtime.memmove", "go.opentelemetry.io/collector/pdata/pcommon.Map.PutStr", ours + "processor/namingprocessor.(*walk).span",
			"google.golang.org/grpc.(*Server).processRPC"},
		// A processor calls the next one.
		"cardinality": {ours + "internal/attrhash.Of", ours + "processor/cardinalityprocessor.(*walk).identify", ours + "processor/namingprocessor.createMetrics.func1"},
		"receiving":   {"syscall.Syscall", "google.golang.org/grpc/internal/transport.(*loopyWriter).run", "google.golang.org/grpc/internal/transport.NewServerTransport.func3"},
		"sending":     {"syscall.Syscall", "google.golang.org/grpc/internal/transport.(*loopyWriter).run", "google.golang.org/grpc/internal/transport.NewHTTP2Client.func6"},
		// Its type arguments say nothing of the work.
		"batching":      {ours + "connector/spilloverconnector/internal/batcher.(*Batcher[go.opentelemetry.io/collector/pdata.UnmarshalProto]).add"},
		"decompression": {"compress/flate.(*decompressor).huffmanBlock", "compress/gzip.(*Reader).Read"},
		"compression":   {"compress/flate.(*compressor).deflate", "compress/gzip.(*Writer).Write", "net/http.(*Client).Do"},
		runtimeStage:    {"runtime.futex", "runtime.schedule", "runtime.mcall"},
		unknownStage:    {"runtime.mallocgc", "example.com/of.Nobody"},
	} {
		assert.Equal(t, name, stageOf(stack))
	}
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
