// SPDX-License-Identifier: Apache-2.0

package chaos

import (
	"sync"
	"testing"
	"time"
)

// load is what clients do at full speed.
type load struct {
	shape       shape
	via         transport
	connections int // each sends its next request when the last was answered
	during      time.Duration
}

// flood puts loads on a collector until they end, or the collector does. It returns how
// to wait for that. The given client knows the answers.
func flood(t *testing.T, c *client, loads ...load) (wait func()) {
	t.Helper()
	var senders sync.WaitGroup
	for _, l := range loads {
		made, deadline := newTemplate(t, l.shape), time.Now().Add(l.during)
		for range l.connections {
			mine := c.another(t)
			senders.Go(func() {
				for time.Now().Before(deadline) && c.target.Running() {
					if !mine.send(made, l.via) {
						time.Sleep(5 * time.Millisecond) // nobody may listen at the moment
					}
				}
			})
		}
	}
	t.Cleanup(senders.Wait)
	return senders.Wait
}
