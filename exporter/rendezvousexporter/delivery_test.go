package rendezvousexporter

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-tc/otelcol-tc/exporter/rendezvousexporter/internal/health"
)

func TestEachSpanGoesToItsOwnEndpoint(t *testing.T) {
	r := newRig(3)
	require.NoError(t, r.deliver(batchOf("a", 300)))
	for i, g := range r.gateways {
		assert.NotEmpty(t, g.took)
		for _, span := range g.took {
			assert.Equal(t, i, r.owner(span))
		}
	}
	assert.Zero(t, r.guests)
}

func TestNoEndpointYet(t *testing.T) {
	batch := batchOf("a", 3)
	err := newRig(0).deliver(batch)
	require.ErrorIs(t, err, errNoEndpoint)
	assert.False(t, consumererror.IsPermanent(err))
	assert.Equal(t, 3, batch.SpanCount())
}

func TestEmptyBatch(t *testing.T) {
	r := newRig(2)
	require.NoError(t, r.deliver(ptrace.NewTraces()))
	assert.Zero(t, r.gateways[0].tries+r.gateways[1].tries)
}

// Others take what is of an endpoint that is away, each what comes next in its own order,
// and it is not asked again until its pause is over.
func TestFailover(t *testing.T) {
	r := newRig(3)
	r.gateways[1].answer = always(health.Away)
	require.NoError(t, r.deliver(batchOf("a", 300)))
	lost := r.failed
	assert.NotZero(t, lost)
	assert.Equal(t, lost, r.guests)
	requireSame(t, spanNames(spansOf(batchOf("a", 300))), append(r.gateways[0].names(), r.gateways[2].names()...))
	assert.NotZero(t, r.strangers(0))
	assert.NotZero(t, r.strangers(2))
	for _, i := range []int{0, 2} {
		for _, span := range r.gateways[i].took {
			assert.Equal(t, names(3)[i], own(span.TraceID(), []string{names(3)[0], names(3)[2]}))
		}
	}

	require.NoError(t, r.deliver(batchOf("b", 300)))
	assert.Equal(t, 1, r.gateways[1].tries, "it is avoided")
	assert.Equal(t, lost, r.failed)

	// Back again: one probe, and the keys return.
	r.waitOut()
	r.gateways[1].answer = nil
	require.NoError(t, r.deliver(batchOf("c", 300)))
	assert.NotEmpty(t, r.gateways[1].took)
	assert.Equal(t, []string{names(3)[1]}, r.gone)
	assert.Equal(t, []string{names(3)[1]}, r.back)
	guests := r.guests
	require.NoError(t, r.deliver(batchOf("d", 300)))
	assert.Equal(t, guests, r.guests)
}

// strangers counts spans that a gateway took in place of another.
func (r *rig) strangers(i int) (n int) {
	for _, span := range r.gateways[i].took {
		if r.owner(span) != i {
			n++
		}
	}
	return n
}

// All are tried once, and everything is left to be sent again.
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
	// When all are avoided nobody is: each goes to its own.
	r.gateways[0].answer, r.gateways[1].answer, r.gateways[2].answer = nil, nil, nil
	r.guests = 0
	require.NoError(t, r.deliver(batchOf("b", 30)))
	assert.Zero(t, r.guests)
}

// The one whose pause ends first does not get all: it is probed with its own, and the
// others, which may be back as well, are tried with theirs.
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
	r.guests = 0
	require.NoError(t, r.deliver(batchOf("b", 300)))
	assert.Zero(t, r.guests)
	assert.Len(t, r.back, 3)
}

// left are the names of the spans that an error says have to be sent again.
func left(t *testing.T, err error) []string {
	t.Helper()
	var unsent consumererror.Traces
	require.ErrorAs(t, err, &unsent)
	return spanNames(spansOf(unsent.Data()))
}

// An endpoint that lives and does not take items now keeps them, and only them.
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
	assert.Zero(t, r.guests)
}

// The longest delay that any endpoint asks for is kept, and exporterhelper sees it.
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
	assert.Len(t, left(t, err), 90-r.dropped)
	assert.ErrorContains(t, err, "Throttle (3s)")
	assert.False(t, consumererror.IsPermanent(err), "a refusal must not take with it what can be sent again")
}

// Nobody knows whether a request without an answer was taken: it waits for its own
// endpoint, until that has let too many pass.
func TestTimeouts(t *testing.T) {
	r := newRig(3)
	r.gateways[1].answer = always(health.Timeout)
	for i := range health.MaxTimeouts {
		assert.NotEmpty(t, left(t, r.deliver(batchOf("a", 90))))
		assert.Equal(t, i == health.MaxTimeouts-1, slices.Contains(r.gone, names(3)[1]))
	}
	assert.Zero(t, r.guests, "nothing was sent to another at once")
	require.NoError(t, r.deliver(batchOf("b", 90)))
	assert.NotZero(t, r.guests)

	// A probe that nobody answers is enough for the next pause.
	r.waitOut()
	assert.NotEmpty(t, left(t, r.deliver(batchOf("c", 90))))
	require.NoError(t, r.deliver(batchOf("d", 90)))
}

func TestRefusals(t *testing.T) {
	r := newRig(3)
	r.gateways[1].answer = always(health.Refused)
	require.NoError(t, r.deliver(batchOf("a", 90)), "the others were taken")
	assert.Equal(t, 90-len(r.gateways[0].took)-len(r.gateways[2].took), r.dropped)

	r.gateways[0].answer = always(health.Away)
	r.gateways[2].answer = always(health.Busy)
	err := r.deliver(batchOf("b", 90))
	assert.False(t, consumererror.IsPermanent(err))
	assert.NotEmpty(t, left(t, err))

	for _, g := range r.gateways {
		g.answer = always(health.Refused)
	}
	r.waitOut()
	err = r.deliver(batchOf("c", 90))
	assert.True(t, consumererror.IsPermanent(err))
	assert.ErrorContains(t, err, names(3)[1]+": reason")
}

// All of a batch that goes to one endpoint is passed on as it is.
func TestOneEndpointTakesTheBatchItself(t *testing.T) {
	r := newRig(1)
	batch := batchOf("a", 3)
	require.NoError(t, r.deliver(batch))
	assert.Equal(t, 3, batch.SpanCount(), "nothing was moved out of it")
	assert.Equal(t, spansOf(batch), r.gateways[0].took)
}
