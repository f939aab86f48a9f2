package rendezvousexporter

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestPausesGrowToABound(t *testing.T) {
	var h health
	now := someTime
	left, _ := h.observe(replyOf(away), false, now)
	assert.True(t, left)
	for want := minPause; ; want *= 2 {
		want = min(want, maxPause)
		assert.Equal(t, want, h.pause)
		open, _ := h.claim(now.Add(want/2 - 1))
		assert.False(t, open)
		now = now.Add(want)
		open, probe := h.claim(now)
		assert.True(t, open && probe)
		open, _ = h.claim(now)
		assert.False(t, open, "one looks for all")
		left, _ = h.observe(replyOf(away), true, now)
		assert.False(t, left, "it is away all the time")
		if want == maxPause {
			break
		}
	}
	assert.Equal(t, maxPause, h.pause)
}

// Batches that were on their way when the endpoint left do not make the pause longer.
func TestOnePauseForAllThatFailsTogether(t *testing.T) {
	var h health
	for range 10 {
		h.observe(replyOf(away), false, someTime)
	}
	assert.Equal(t, minPause, h.pause)
	assert.True(t, h.until.Before(someTime.Add(minPause+1)))
}

func TestAnyAnswerEndsThePause(t *testing.T) {
	for _, v := range []verdict{taken, refused, busy} {
		var h health
		h.observe(replyOf(away), false, someTime)
		_, probe := h.claim(someTime.Add(time.Minute))
		assert.True(t, probe)
		_, back := h.observe(replyOf(v), true, someTime)
		assert.True(t, back)
		open, probe := h.claim(someTime)
		assert.True(t, open && !probe)
	}
}

func TestTimeoutsInARow(t *testing.T) {
	var h health
	for range maxTimeouts - 1 {
		h.observe(replyOf(timeout), false, someTime)
	}
	h.observe(replyOf(taken), false, someTime)
	for range maxTimeouts - 1 {
		h.observe(replyOf(timeout), false, someTime)
	}
	cancelled := replyOf(timeout)
	cancelled.gone = true
	h.observe(cancelled, false, someTime)
	assert.False(t, h.avoided(), "an answer was in between, and one was cancelled by the caller")
	h.observe(replyOf(timeout), false, someTime)
	assert.True(t, h.avoided())
}

// A gateway that takes nothing for long, although it answers, is as one that is away until
// it takes something.
func TestBusyForLong(t *testing.T) {
	var h health
	h.observe(replyOf(busy), false, someTime)
	h.observe(replyOf(busy), false, someTime.Add(maxBusy-1))
	h.observe(replyOf(taken), false, someTime.Add(maxBusy-1))
	now := someTime.Add(maxBusy)
	h.observe(replyOf(busy), false, now)
	assert.False(t, h.avoided(), "it took something in between")

	now = now.Add(maxBusy)
	left, _ := h.observe(replyOf(busy), false, now)
	assert.True(t, left)
	now = now.Add(minPause)
	_, probe := h.claim(now)
	assert.True(t, probe)
	_, back := h.observe(replyOf(busy), true, now)
	assert.False(t, back)
	assert.Equal(t, 2*minPause, h.pause)

	now = now.Add(2 * minPause)
	_, probe = h.claim(now)
	assert.True(t, probe)
	_, back = h.observe(replyOf(taken), true, now)
	assert.True(t, back)
	h.observe(replyOf(busy), false, now)
	assert.False(t, h.avoided(), "it counts anew")
}

// One busy answer and another much later are not a gateway that was busy all the time.
func TestBusyAgainMuchLater(t *testing.T) {
	var h health
	h.observe(replyOf(busy), false, someTime)
	now := someTime.Add(time.Hour)
	h.observe(replyOf(busy), false, now)
	assert.False(t, h.avoided())
	h.observe(replyOf(busy), false, now.Add(maxDelay))
	assert.True(t, h.avoided(), "it was asked again as late as a gateway may say")
}

// Nor is one that was busy, restarted, and is busy with what has waited for it.
func TestBusyAgainAfterBeingAway(t *testing.T) {
	var h health
	h.observe(replyOf(busy), false, someTime)
	left, _ := h.observe(replyOf(away), false, someTime)
	assert.True(t, left)
	_, back := h.observe(replyOf(busy), true, someTime.Add(maxBusy))
	assert.True(t, back)

	for range maxTimeouts {
		h.observe(replyOf(timeout), false, someTime.Add(maxBusy))
	}
	assert.True(t, h.avoided())
	_, back = h.observe(replyOf(busy), true, someTime.Add(2*maxBusy))
	assert.True(t, back)
}

// A probe whose caller leaves says nothing: the next one looks again at once.
func TestProbeOfACallerThatLeaves(t *testing.T) {
	var h health
	for range maxTimeouts {
		h.observe(replyOf(timeout), false, someTime)
	}
	later := someTime.Add(minPause)
	_, probe := h.claim(later)
	assert.True(t, probe)
	cancelled := replyOf(timeout)
	cancelled.gone = true
	h.observe(cancelled, true, later)
	assert.Equal(t, minPause, h.pause)
	open, probe := h.claim(later)
	assert.True(t, open && probe)
}

func TestProbeIsGivenBack(t *testing.T) {
	var h health
	h.observe(replyOf(away), false, someTime)
	later := someTime.Add(minPause)
	h.claim(later)
	h.giveBack()
	open, probe := h.claim(later)
	assert.True(t, open && probe)
}
