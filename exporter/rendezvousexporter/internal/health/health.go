// Package health knows which endpoints are away, by what they reply.
package health

import (
	"math/rand/v2"
	"sync"
	"time"
)

// An endpoint that is away is avoided for MinPause, and for twice as long whenever it is
// still away after that, up to MaxPause.
const (
	MinPause = time.Second
	MaxPause = 10 * time.Second
)

// MaxTimeouts is how many timeouts in a row, without an answer in between, mean that an
// endpoint is away. One alone may be a gateway that is slow for a moment.
const MaxTimeouts = 3

const (
	// An endpoint that answers nothing but that it is busy is treated as one that is away
	// after maxBusy: what waits for it holds up what goes to others.
	maxBusy = 15 * time.Second
	// Busy answers further apart than busyGap are not one time of being busy: whoever
	// waits for the endpoint would have asked again.
	busyGap = 2 * maxDelay
)

// State knows whether an endpoint is away. The zero value is one that is not. Its
// methods are safe for concurrent use.
type State struct {
	mu       sync.Mutex
	timeouts int           // in a row; guarded by mu
	busy     time.Time     // since when it is; zero when it is not; guarded by mu
	lastBusy time.Time     // its last answer that it is; guarded by mu
	pause    time.Duration // 0 while it is not away; guarded by mu
	until    time.Time     // the end of the pause; guarded by mu
	probing  bool          // somebody looks whether it is back; guarded by mu
}

// Claim reports whether items may go to the endpoint. After a pause they may go for one
// that claims the probe, who then has to observe its reply or to give it back.
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

// GiveBack leaves the probe to another.
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

// Observe takes in a reply and reports whether the endpoint has gone away or come back by it.
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
		if r.Gone {
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

// busyFor takes in an answer that the endpoint is busy, and tells for how long it has been.
func (h *State) busyFor(now time.Time) time.Duration {
	if h.busy.IsZero() || now.Sub(h.lastBusy) > busyGap {
		h.busy = now
	}
	h.lastBusy = now
	return now.Sub(h.busy)
}

// avoid begins a pause, a longer one when a probe has failed. What was on its way when the
// endpoint left says nothing new.
func (h *State) avoid(probe bool, now time.Time) (left bool) {
	left = h.pause == 0
	if left || probe {
		h.pause = min(max(2*h.pause, MinPause), MaxPause)
		// Agents should not all come back at one time.
		h.until = now.Add(h.pause - rand.N(h.pause/4))
	}
	return left
}
