// SPDX-License-Identifier: Apache-2.0

// Package health decides from the replies of an endpoint whether it is away.
package health

import (
	"sync"
	"time"

	"github.com/otelcol-tc/otelcol-tc/internal/delivery"
)

// An endpoint that is away is avoided for MinPause. The pause doubles up to MaxPause each time the
// endpoint is still away.
const (
	MinPause = time.Second
	MaxPause = 10 * time.Second
)

// MaxTimeouts is the number of consecutive timeouts after which an endpoint counts as away. A single
// timeout may mean that a gateway is slow for a moment.
const MaxTimeouts = 3

const (
	// After maxBusy, an endpoint that only answers busy counts as away, because the data that waits for it
	// delays other data.
	maxBusy = 15 * time.Second
	// Busy answers further apart than busyGap do not belong together: an exporter with data for the
	// endpoint would have retried earlier.
	busyGap = 2 * maxDelay
)

// State records whether an endpoint is away. The zero State is one that is not away. It is safe for
// concurrent use.
type State struct {
	mu       sync.Mutex
	timeouts int           // consecutive; guarded by mu
	busy     time.Time     // time of the first busy answer, zero if not busy; guarded by mu
	lastBusy time.Time     // time of the last busy answer; guarded by mu
	pause    time.Duration // 0 if not away; guarded by mu
	until    time.Time     // end of the pause; guarded by mu
	probing  bool          // a probe is in progress; guarded by mu
}

// Claim reports whether items may be sent to the endpoint. After a pause only the caller that gets the
// probe may send. That caller must call Observe with the reply or GiveBack.
func (h *State) Claim(now time.Time) (open, probe bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.pause == 0 {
		return true, false
	}
	if h.probing || now.Before(h.until) {
		return false, false
	}
	h.probing = true
	return true, true
}

// GiveBack returns an unused probe.
func (h *State) GiveBack() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.probing = false
}

// Avoided reports whether the endpoint is away.
func (h *State) Avoided() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.pause > 0
}

// Observe records a reply and reports whether it means that the endpoint left or came back.
func (h *State) Observe(r Reply, probe bool, now time.Time) (left, back bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if probe {
		h.probing = false
	}
	switch {
	case r.Verdict == Away:
		h.busy = time.Time{}
		return h.avoid(probe, now), false
	case r.Verdict == Timeout:
		if r.Cancelled {
			return false, false
		}
		h.timeouts++
		if !probe && h.timeouts < MaxTimeouts {
			return false, false
		}
		h.busy = time.Time{}
		return h.avoid(probe, now), false
	case !r.Answered:
		return false, false
	}
	h.timeouts = 0
	if r.Verdict != Busy {
		h.busy = time.Time{}
	} else if h.busyFor(now) >= maxBusy {
		return h.avoid(probe, now), false
	}
	back = h.pause > 0
	h.pause = 0
	return false, back
}

// busyFor records a busy answer and returns how long the endpoint has been busy.
func (h *State) busyFor(now time.Time) time.Duration {
	if h.busy.IsZero() || now.Sub(h.lastBusy) > busyGap {
		h.busy = now
	}
	h.lastBusy = now
	return now.Sub(h.busy)
}

// avoid starts a pause. A failed probe makes the pause longer. Replies to items sent before the pause do
// not.
func (h *State) avoid(probe bool, now time.Time) (left bool) {
	left = h.pause == 0
	if left || probe {
		h.pause = min(max(2*h.pause, MinPause), MaxPause)
		h.until = now.Add(h.pause - delivery.Jitter(now, h.pause/4))
	}
	return left
}
