// SPDX-License-Identifier: Apache-2.0

package runtimelogreceiver

import (
	"sync"
	"time"
)

// outage tracks whether the pipeline accepts records. It is safe for concurrent use.
type outage struct {
	mu      sync.Mutex
	waiting int       // the number of deliveries; guarded by mu
	ended   time.Time // guarded by mu
}

func (o *outage) begin() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.waiting++
}

func (o *outage) end() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.waiting--
	o.ended = time.Now()
}

// over reports whether no outage has been for the given time.
func (o *outage) over(now time.Time, since time.Duration) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.waiting == 0 && now.Sub(o.ended) >= since
}
