package runtimelogreceiver

import (
	"sync"
	"time"
)

// outage is the time in which the pipeline does not accept records. It is safe for
// concurrent use.
type outage struct {
	mu      sync.Mutex
	waiting int       // deliveries; guarded by mu
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

// over tells whether there has been none for a time.
func (o *outage) over(now time.Time, since time.Duration) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.waiting == 0 && now.Sub(o.ended) >= since
}
