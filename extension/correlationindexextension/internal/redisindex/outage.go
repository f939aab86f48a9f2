// SPDX-License-Identifier: Apache-2.0

package redisindex

import (
	"errors"
	"sync"
	"time"
)

// outage prevents that batches wait for a server that is away: after a failure none tries for a
// while.
type outage struct {
	mu    sync.Mutex // guards all below
	away  bool
	until time.Time // no batch tries before
}

// backOff is how long no batch tries.
const backOff = time.Second

var errAway = errors.New("redis is away, and is tried again within a second")

// enter reports whether to try. While the server is away, one batch at a time does.
func (o *outage) enter(now time.Time) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.away && now.Before(o.until) {
		return false
	}
	o.until = now.Add(backOff)
	return true
}

// set records whether the server was reached, and reports whether that is a change.
func (o *outage) set(away bool, now time.Time) (changed bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	changed = o.away != away
	o.away, o.until = away, now.Add(backOff)
	return changed
}
