// SPDX-License-Identifier: Apache-2.0

package rendezvousexporter

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-tc/otelcol-tc/exporter/rendezvousexporter/internal/health"
)

// Whatever the gateways answer, each item is either accepted once, or left to retry, or refused.
func TestNothingIsLostOrDuplicated(t *testing.T) {
	for seed := range uint64(300) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { randomDeliveries(t, rand.New(rand.NewPCG(seed, 0))) })
	}
}

func randomDeliveries(t *testing.T, random *rand.Rand) {
	r := newRig(1 + random.IntN(6))
	var refused []string
	for _, e := range r.endpoints {
		e.client = &randomGateway{gateway: e.client.(*gateway), random: rand.New(rand.NewPCG(random.Uint64(), 0))}
	}
	var in []string
	pending := ptrace.NewTraces()
	for range 20 {
		batch := randomTraces(random, fmt.Sprint(len(in)))
		in = append(in, spanNames(spansOf(batch))...)
		// The data to retry comes together with new data, as from a queue that batches.
		pending.ResourceSpans().MoveAndAppendTo(batch.ResourceSpans())
		if random.IntN(3) == 0 {
			r.waitOut()
		}
		err := r.deliver(batch)
		pending = ptrace.NewTraces()
		var unsent consumererror.Traces
		switch {
		case errors.As(err, &unsent) && consumererror.IsPermanent(err):
			refused = append(refused, spanNames(spansOf(unsent.Data()))...)
		case errors.As(err, &unsent):
			unsent.Data().CopyTo(pending)
		case err != nil:
			refused = append(refused, spanNames(spansOf(batch))...)
		}
		requireWholeTraces(t, r)
	}
	out := append(spanNames(spansOf(pending)), refused...)
	for _, g := range r.gateways {
		out = append(out, g.names()...)
	}
	requireSame(t, in, out)
}

// requireWholeTraces checks that one gateway has all accepted spans of a trace of one delivery.
func requireWholeTraces(t *testing.T, r *rig) {
	at := map[pcommon.TraceID]int{}
	for i, e := range r.endpoints {
		m := e.client.(*randomGateway)
		for _, span := range m.took[m.seen:] {
			if before, ok := at[span.TraceID()]; ok {
				require.Equal(t, before, i)
			}
			at[span.TraceID()] = i
		}
		m.seen = len(m.took)
	}
}

// randomGateway is a gateway with random answers.
type randomGateway struct {
	*gateway
	random *rand.Rand
	seen   int // spans of earlier deliveries
}

func (m *randomGateway) send(_ context.Context, batch ptrace.Traces) health.Reply {
	m.mu.Lock()
	defer m.mu.Unlock()
	v := health.Verdict(m.random.IntN(int(health.Away) + 1))
	if v == health.Accepted {
		m.took = append(m.took, spansOf(batch)...)
	}
	return replyOf(v)
}

// randomTraces returns several resources and scopes, with traces that have spans in all of them.
func randomTraces(random *rand.Rand, prefix string) ptrace.Traces {
	batch := ptrace.NewTraces()
	ids := make([]uint64, 1+random.IntN(8))
	for i := range ids {
		ids[i] = random.Uint64()
	}
	for r := range random.IntN(4) {
		rs := batch.ResourceSpans().AppendEmpty()
		rs.SetSchemaUrl(fmt.Sprint("schema ", r))
		rs.Resource().Attributes().PutInt("resource", int64(r))
		for s := range random.IntN(3) {
			ss := rs.ScopeSpans().AppendEmpty()
			ss.SetSchemaUrl(fmt.Sprint("schema ", s))
			ss.Scope().SetName(fmt.Sprint("scope ", s))
			for i := range random.IntN(20) {
				span := ss.Spans().AppendEmpty()
				span.SetName(fmt.Sprintf("%s/%d/%d/%d", prefix, r, s, i))
				span.SetTraceID([16]byte{0: byte(ids[random.IntN(len(ids))]), 15: 1})
			}
		}
	}
	return batch
}
