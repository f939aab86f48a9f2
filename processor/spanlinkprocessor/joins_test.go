// SPDX-License-Identifier: Apache-2.0

package spanlinkprocessor

import (
	"context"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/processor/processortest"

	"github.com/otelcol-tc/otelcol-tc/cmd/tcgen/scenario"
	"github.com/otelcol-tc/otelcol-tc/processor/namingprocessor"
)

// The built-in packs find all pairs that the four systems' traces leave apart, and no
// other, with the names as sent and with conformant ones, whichever process exports
// first. The links of the rules with hold point back.
func TestRealJoins(t *testing.T) {
	for _, system := range scenario.Names() {
		for _, named := range []bool{false, true} {
			for seed := range uint64(3) {
				synctest.Test(t, func(t *testing.T) { checkJoins(t, system, named, seed) })
			}
		}
	}
}

func checkJoins(t *testing.T, system string, named bool, seed uint64) {
	r := newRig(t, rigSettings{})
	defer r.stop(t)
	var next interface {
		ConsumeTraces(context.Context, ptrace.Traces) error
	} = r
	if named {
		factory := namingprocessor.NewFactory()
		naming, err := factory.CreateTraces(t.Context(), processortest.NewNopSettings(factory.Type()), factory.CreateDefaultConfig(), r)
		require.NoError(t, err)
		require.NoError(t, naming.Start(t.Context(), componenttest.NewNopHost()))
		defer func() { require.NoError(t, naming.Shutdown(context.Background())) }()
		next = naming
	}

	generator, err := scenario.New(system, seed, start)
	require.NoError(t, err)
	var exports []ptrace.Traces
	want := map[scenario.Pair]bool{}
	for i := range 20 {
		b := generator.Next(start.Add(time.Duration(i) * time.Second))
		for _, rs := range b.Traces.ResourceSpans().All() {
			export := ptrace.NewTraces()
			rs.CopyTo(export.ResourceSpans().AppendEmpty())
			exports = append(exports, export)
		}
		for _, p := range b.Pairs {
			// What only logs tell is found with log_correlation.
			if p.Findable() && p.Rule != scenario.RuleRequestID {
				want[scenario.Pair{From: p.From, To: p.To}] = true
			}
		}
	}
	rng := rand.New(rand.NewPCG(seed, 1))
	rng.Shuffle(len(exports), func(i, j int) { exports[i], exports[j] = exports[j], exports[i] })
	sent := 0
	for _, export := range exports {
		sent += export.SpanCount()
		require.NoError(t, next.ConsumeTraces(t.Context(), export))
		time.Sleep(20 * time.Millisecond)
	}
	time.Sleep(time.Minute)
	synctest.Wait()

	spans := r.sink.take()
	require.Len(t, spans, sent)
	got := map[scenario.Pair]bool{}
	for _, span := range spans {
		self := scenario.SpanRef{TraceID: span.TraceID(), SpanID: span.SpanID()}
		for _, link := range span.Links().All() {
			if _, ok := link.Attributes().Get(ruleKey); !ok {
				continue
			}
			p := scenario.Pair{From: scenario.SpanRef{TraceID: link.TraceID(), SpanID: link.SpanID()}, To: self}
			if _, forward := link.Attributes().Get(directionKey); forward {
				p.From, p.To = p.To, p.From
				assert.NotContains(t, []string{"tensorcast", "tuft"}, system, "%s points forward", span.Name())
			}
			got[p] = true
		}
	}
	assert.NotEmpty(t, want)
	assert.Equal(t, want, got, "%s, named %v, seed %d", system, named, seed)
}
