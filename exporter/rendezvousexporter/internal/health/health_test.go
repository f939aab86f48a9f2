// SPDX-License-Identifier: Apache-2.0

package health

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

var someTime = time.Unix(1_750_000_000, 0)

func replyOf(v Verdict) Reply {
	return Reply{Verdict: v, Answered: v == Accepted || v == Refused || v == Busy}
}

func TestPausesGrowToABound(t *testing.T) {
	var h State
	now := someTime
	left, _ := h.Observe(replyOf(Away), false, now)
	assert.True(t, left)
	for want := MinPause; ; want *= 2 {
		want = min(want, MaxPause)
		assert.Equal(t, want, h.pause)
		open, _ := h.Claim(now.Add(want/2 - 1))
		assert.False(t, open)
		now = now.Add(want)
		open, probe := h.Claim(now)
		assert.True(t, open && probe)
		open, _ = h.Claim(now)
		assert.False(t, open, "one probe at a time")
		left, _ = h.Observe(replyOf(Away), true, now)
		assert.False(t, left, "the endpoint was already away")
		if want == MaxPause {
			break
		}
	}
	assert.Equal(t, MaxPause, h.pause)
}

// Batches sent before the endpoint left do not make the pause longer.
func TestOnePauseForAllThatFailsTogether(t *testing.T) {
	var h State
	for range 10 {
		h.Observe(replyOf(Away), false, someTime)
	}
	assert.Equal(t, MinPause, h.pause)
	assert.True(t, h.until.Before(someTime.Add(MinPause+1)))
}

func TestAnyAnswerEndsThePause(t *testing.T) {
	for _, v := range []Verdict{Accepted, Refused, Busy} {
		var h State
		h.Observe(replyOf(Away), false, someTime)
		_, probe := h.Claim(someTime.Add(time.Minute))
		assert.True(t, probe)
		_, back := h.Observe(replyOf(v), true, someTime)
		assert.True(t, back)
		open, probe := h.Claim(someTime)
		assert.True(t, open && !probe)
	}
}

func TestTimeoutsInARow(t *testing.T) {
	var h State
	for range MaxTimeouts - 1 {
		h.Observe(replyOf(Timeout), false, someTime)
	}
	h.Observe(replyOf(Accepted), false, someTime)
	for range MaxTimeouts - 1 {
		h.Observe(replyOf(Timeout), false, someTime)
	}
	cancelled := replyOf(Timeout)
	cancelled.Cancelled = true
	h.Observe(cancelled, false, someTime)
	assert.False(t, h.Avoided(), "an answer came in between, and the caller cancelled one")
	h.Observe(replyOf(Timeout), false, someTime)
	assert.True(t, h.Avoided())
}

// A gateway that answers only busy for a long time counts as away until it accepts data.
func TestBusyForLong(t *testing.T) {
	var h State
	h.Observe(replyOf(Busy), false, someTime)
	h.Observe(replyOf(Busy), false, someTime.Add(maxBusy-1))
	h.Observe(replyOf(Accepted), false, someTime.Add(maxBusy-1))
	now := someTime.Add(maxBusy)
	h.Observe(replyOf(Busy), false, now)
	assert.False(t, h.Avoided(), "it accepted data in between")

	now = now.Add(maxBusy)
	left, _ := h.Observe(replyOf(Busy), false, now)
	assert.True(t, left)
	now = now.Add(MinPause)
	_, probe := h.Claim(now)
	assert.True(t, probe)
	_, back := h.Observe(replyOf(Busy), true, now)
	assert.False(t, back)
	assert.Equal(t, 2*MinPause, h.pause)

	now = now.Add(2 * MinPause)
	_, probe = h.Claim(now)
	assert.True(t, probe)
	_, back = h.Observe(replyOf(Accepted), true, now)
	assert.True(t, back)
	h.Observe(replyOf(Busy), false, now)
	assert.False(t, h.Avoided(), "the count starts anew")
}

// Two busy answers far apart do not mean that the gateway was busy in between.
func TestBusyAgainMuchLater(t *testing.T) {
	var h State
	h.Observe(replyOf(Busy), false, someTime)
	now := someTime.Add(time.Hour)
	h.Observe(replyOf(Busy), false, now)
	assert.False(t, h.Avoided())
	h.Observe(replyOf(Busy), false, now.Add(maxDelay))
	assert.True(t, h.Avoided(), "it was retried after the longest delay a gateway may ask for")
}

// A gateway that was busy, restarted, and is busy again does not count as busy all the time.
func TestBusyAgainAfterBeingAway(t *testing.T) {
	var h State
	h.Observe(replyOf(Busy), false, someTime)
	left, _ := h.Observe(replyOf(Away), false, someTime)
	assert.True(t, left)
	_, back := h.Observe(replyOf(Busy), true, someTime.Add(maxBusy))
	assert.True(t, back)

	for range MaxTimeouts {
		h.Observe(replyOf(Timeout), false, someTime.Add(maxBusy))
	}
	assert.True(t, h.Avoided())
	_, back = h.Observe(replyOf(Busy), true, someTime.Add(2*maxBusy))
	assert.True(t, back)
}

// A probe whose caller cancels gives no information: the next caller probes at once.
func TestProbeOfACallerThatCancels(t *testing.T) {
	var h State
	for range MaxTimeouts {
		h.Observe(replyOf(Timeout), false, someTime)
	}
	later := someTime.Add(MinPause)
	_, probe := h.Claim(later)
	assert.True(t, probe)
	cancelled := replyOf(Timeout)
	cancelled.Cancelled = true
	h.Observe(cancelled, true, later)
	assert.Equal(t, MinPause, h.pause)
	open, probe := h.Claim(later)
	assert.True(t, open && probe)
}

func TestProbeIsGivenBack(t *testing.T) {
	var h State
	h.Observe(replyOf(Away), false, someTime)
	later := someTime.Add(MinPause)
	h.Claim(later)
	h.GiveBack()
	open, probe := h.Claim(later)
	assert.True(t, open && probe)
}
