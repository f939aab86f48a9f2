// SPDX-License-Identifier: Apache-2.0

package rendezvousexporter

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/consumer/consumererror"

	"github.com/otelcol-tc/otelcol-tc/exporter/rendezvousexporter/internal/health"
)

// The data of an endpoint that is away goes to the next endpoint in each key's order. The endpoint gets no
// data until its pause is over.
func TestFailover(t *testing.T) {
	r := newRig(3)
	r.gateways[1].answer = always(health.Away)
	require.NoError(t, r.deliver(batchOf("a", 300)))
	lost := r.failed
	assert.NotZero(t, lost)
	assert.Equal(t, lost, r.failover)
	requireSame(t, spanNames(spansOf(batchOf("a", 300))), append(r.gateways[0].names(), r.gateways[2].names()...))
	assert.NotZero(t, r.failovers(0))
	assert.NotZero(t, r.failovers(2))
	for _, i := range []int{0, 2} {
		for _, span := range r.gateways[i].took {
			assert.Equal(t, names(3)[i], own(span.TraceID(), []string{names(3)[0], names(3)[2]}))
		}
	}

	require.NoError(t, r.deliver(batchOf("b", 300)))
	assert.Equal(t, 1, r.gateways[1].tries, "the endpoint is avoided")
	assert.Equal(t, lost, r.failed)

	// An address that drops everything never connects: no data waits for that.
	r.waitOut()
	r.gateways[1].dials = true
	require.NoError(t, r.deliver(batchOf("b", 300)))
	assert.Equal(t, 1, r.gateways[1].tries, "the probe waits for a connection")

	// The endpoint is available again: after one probe it gets its keys back.
	r.gateways[1].dials, r.gateways[1].answer = false, nil
	require.NoError(t, r.deliver(batchOf("c", 300)))
	assert.NotEmpty(t, r.gateways[1].took)
	assert.Equal(t, []string{names(3)[1]}, r.gone)
	assert.Equal(t, []string{names(3)[1]}, r.back)
	failover := r.failover
	require.NoError(t, r.deliver(batchOf("d", 300)))
	assert.Equal(t, failover, r.failover)
}

// failovers counts the spans that a gateway accepted in place of another.
func (r *rig) failovers(i int) (n int) {
	for _, span := range r.gateways[i].took {
		if r.owner(span) != i {
			n++
		}
	}
	return n
}

// Each endpoint is tried once, and all data is left to retry.
func TestAllAway(t *testing.T) {
	r := newRig(3)
	for _, g := range r.gateways {
		g.answer = always(health.Away)
	}
	for range 2 {
		err := r.deliver(batchOf("a", 30))
		requireSame(t, spanNames(spansOf(batchOf("a", 30))), left(t, err))
		assert.False(t, consumererror.IsPermanent(err))
	}
	// If all endpoints are avoided, each key goes to its own endpoint.
	r.gateways[0].answer, r.gateways[1].answer, r.gateways[2].answer = nil, nil, nil
	r.failover = 0
	require.NoError(t, r.deliver(batchOf("b", 30)))
	assert.Zero(t, r.failover)
}

// The endpoint whose pause ends first does not get all data. It is probed with its own keys, and the other
// endpoints, which may be available again too, are tried with theirs.
func TestProbeWhileTheOthersAreAvoided(t *testing.T) {
	r := newRig(3)
	for _, g := range r.gateways {
		g.answer = always(health.Away)
	}
	require.Error(t, r.deliver(batchOf("a", 300)))
	for i, g := range r.gateways {
		g.answer = nil
		avoid(r.endpoints[i], time.Now().Add(time.Hour))
	}
	avoid(r.endpoints[0], time.Now().Add(-time.Hour))
	r.failover = 0
	require.NoError(t, r.deliver(batchOf("b", 300)))
	assert.Zero(t, r.failover)
	assert.Len(t, r.back, 3)
}

// left returns the names of the spans that an error contains for a retry.
func left(t *testing.T, err error) []string {
	t.Helper()
	var unsent consumererror.Traces
	require.ErrorAs(t, err, &unsent)
	return spanNames(spansOf(unsent.Data()))
}

// A busy endpoint keeps its own items, and no other items wait for it.
func TestBusyStaysWithItsOwn(t *testing.T) {
	r := newRig(3)
	r.gateways[1].answer = always(health.Busy)
	for range 5 {
		batch := batchOf("a", 90)
		var own []string
		for _, span := range spansOf(batch) {
			if r.owner(span) == 1 {
				own = append(own, span.Name())
			}
		}
		requireSame(t, own, left(t, r.deliver(batch)))
	}
	assert.Equal(t, 5, r.gateways[1].tries)
	assert.Empty(t, r.gone)
	assert.Zero(t, r.failover)
}

// The longest delay that an endpoint asks for reaches exporterhelper.
func TestDelaySurvives(t *testing.T) {
	r := newRig(3)
	for i, delay := range []time.Duration{0, 3 * time.Second, 2 * time.Second} {
		r.gateways[i].answer = func() health.Reply {
			if delay == 0 {
				return replyOf(health.Refused)
			}
			r := replyOf(health.Busy)
			r.Delay = delay
			return r
		}
	}
	err := r.deliver(batchOf("a", 90))
	assert.Len(t, left(t, err), 90)
	assert.ErrorContains(t, err, "Throttle (3s)")
	assert.False(t, consumererror.IsPermanent(err), "a permanent error would drop the data to retry")
}

// It is unknown whether an endpoint accepted a request without an answer. The request waits for the same
// endpoint, until that has had too many timeouts.
func TestTimeouts(t *testing.T) {
	r := newRig(3)
	r.gateways[1].answer = always(health.Timeout)
	for i := range health.MaxTimeouts {
		assert.NotEmpty(t, left(t, r.deliver(batchOf("a", 90))))
		assert.Equal(t, i == health.MaxTimeouts-1, slices.Contains(r.gone, names(3)[1]))
	}
	assert.Zero(t, r.failover, "no data was sent to another endpoint at once")
	require.NoError(t, r.deliver(batchOf("b", 90)))
	assert.NotZero(t, r.failover)

	// A probe without an answer starts the next pause.
	r.waitOut()
	assert.NotEmpty(t, left(t, r.deliver(batchOf("c", 90))))
	require.NoError(t, r.deliver(batchOf("d", 90)))
}

func TestRefusals(t *testing.T) {
	r := newRig(3)
	r.gateways[1].answer = always(health.Refused)
	err := r.deliver(batchOf("a", 90))
	assert.True(t, consumererror.IsPermanent(err))
	assert.Len(t, left(t, err), 90-len(r.gateways[0].took)-len(r.gateways[2].took), "the other spans were accepted")

	r.gateways[0].answer = always(health.Away)
	r.gateways[2].answer = always(health.Busy)
	err = r.deliver(batchOf("b", 90))
	assert.False(t, consumererror.IsPermanent(err), "a part can be accepted later")
	assert.Len(t, left(t, err), 90)

	for _, g := range r.gateways {
		g.answer = always(health.Refused)
	}
	r.waitOut()
	err = r.deliver(batchOf("c", 90))
	assert.True(t, consumererror.IsPermanent(err))
	assert.ErrorContains(t, err, names(3)[1]+": reason")
	assert.Len(t, left(t, err), 90)
}

// A batch that one endpoint refuses as a whole stays as it was, so that its sender can divide it.
func TestRefusedAsAWhole(t *testing.T) {
	r := newRig(1)
	r.gateways[0].answer = always(health.Refused)
	batch := batchOf("a", 3)
	err := r.deliver(batch)
	assert.True(t, consumererror.IsPermanent(err))
	var unsent consumererror.Traces
	assert.NotErrorAs(t, err, &unsent)
	assert.Equal(t, 3, batch.SpanCount())
}

// A batch that other components read is copied before it is divided.
func TestSharedBatchesStayWhole(t *testing.T) {
	for _, shared := range []bool{false, true} {
		r := newRig(2)
		batch := batchOf("a", 100)
		if shared {
			batch.MarkReadOnly()
		}
		require.NoError(t, r.deliver(batch))
		assert.Equal(t, shared, spansOf(batch)[0].Name() != "", "shared: %v", shared)
		assert.Len(t, append(r.gateways[0].took, r.gateways[1].took...), 100)
	}
}
