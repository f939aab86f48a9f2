// SPDX-License-Identifier: Apache-2.0

package scale

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/extension"

	"github.com/otelcol-tc/otelcol-tc/extension/correlationindexextension"
	"github.com/otelcol-tc/otelcol-tc/internal/correlation"
)

// startIndex starts the index of a gateway.
func startIndex(t *testing.T, change func(*correlationindexextension.Config)) (correlation.Index, counts) {
	t.Helper()
	f, telemetry := correlationindexextension.NewFactory(), newCounts(t)
	cfg := f.CreateDefaultConfig().(*correlationindexextension.Config)
	configure(t, cfg, "extensions::correlation_index", "builtin:gateway")
	cfg.StateDirectory = ""
	change(cfg)
	set := extension.Settings{ID: component.NewID(f.Type()), TelemetrySettings: telemetry.NewTelemetrySettings()}
	index, err := f.Create(t.Context(), set, cfg)
	return run(t, host{}, index, err).(correlation.Index), telemetry
}

// join adds the spans with keys that so many nodes send in a window. So many spans share each key.
func join(t *testing.T, index correlation.Index, nodes float64, ofKey int, each func(nodes float64)) {
	t.Helper()
	random, keys, number := rand.New(rand.NewPCG(1, 2)), correlation.Writer{HashKey: index.HashKey()}, 0
	requests := make([]correlation.Request, 500)
	for number < int(nodes*keyedSpans*window) {
		for i := range requests {
			keys.Begin("messaging.message")
			keys.Add(fmt.Sprint(number / ofKey))
			number++
			trace, span := ids(random)
			requests[i] = correlation.Request{Key: keys.Key(), Op: correlation.Join, Limit: 64, Member: correlation.Member{
				TraceID: trace, SpanID: span, Start: began, End: began + 1, Stages: 1,
			}}
		}
		require.NoError(t, index.Do(t.Context(), requests, func(int, correlation.Result) {}))
		each(float64(number) / (keyedSpans * window))
	}
}

// heldKeys says how the index of a gateway holds its share.
type heldKeys struct {
	bytes, heap, evicted float64
	fullAt               float64 // the nodes with which spans are forgotten before their time
}

// holdKeys gives the index of a gateway its share of a window. A memory of zero is that of the profile.
func holdKeys(t *testing.T, memory int) (h heldKeys) {
	t.Helper()
	size := divisor()
	before := heap()
	index, telemetry := startIndex(t, func(cfg *correlationindexextension.Config) {
		cfg.MaxMemoryMib = cmp.Or(memory, cfg.MaxMemoryMib) / size
	})
	evicted := func() float64 { return telemetry.sum("otelcol_correlation_index_evicted") * float64(size) }
	join(t, index, nodesOfGateway/float64(size), 2, func(nodes float64) {
		if h.fullAt == 0 && evicted() > 0 {
			h.fullAt = nodes * float64(size)
		}
	})
	h.bytes, h.evicted = telemetry.sum("otelcol_correlation_index_memory")*float64(size), evicted()
	h.heap = (heap() - before) * float64(size)
	return h
}
