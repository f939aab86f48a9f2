// SPDX-License-Identifier: Apache-2.0

package redisindex

import (
	"errors"
	"sync"
	"time"
)

// outage prevents that batches wait for a server that is away. After a failure no batch tries for
// a while, and then one does.
type outage struct {
	mu      sync.Mutex // guards all below
	away    bool
	probing bool
	until   time.Time // no batch tries before
}

// backOff is how long no batch tries.
const backOff = time.Second

var errAway = errors.New("redis is away, and is tried again within a second")

// enter reports whether to try. A try ends with reached, failed or abandoned.
func (o *outage) enter(now time.Time) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.away {
		return true
	}
	if o.probing || now.Before(o.until) {
		return false
	}
	o.probing = true
	return true
}

// reached reports whether this ends an outage.
func (o *outage) reached() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	ends := o.away
	o.away, o.probing = false, false
	return ends
}

// failed reports whether this begins an outage.
func (o *outage) failed(now time.Time) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	begins := !o.away
	o.away, o.probing, o.until = true, false, now.Add(backOff)
	return begins
}

// abandoned lets the next batch try.
func (o *outage) abandoned() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.probing = false
}
