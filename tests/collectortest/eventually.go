// SPDX-License-Identifier: Apache-2.0

package collectortest

import (
	"testing"
	"time"
)

// pollInterval is shorter than everything that tests wait for.
const pollInterval = 20 * time.Millisecond

// Eventually calls condition until it returns true. After timeout it fails the test with the state that
// the last call returned.
func Eventually(t testing.TB, timeout time.Duration, condition func() (ok bool, state string)) {
	t.Helper()
	deadline := time.After(timeout)
	tick := time.NewTicker(pollInterval)
	defer tick.Stop()
	for {
		ok, state := condition()
		if ok {
			return
		}
		select {
		case <-deadline:
			t.Fatalf("not within %s: %s", timeout, state)
		case <-tick.C:
		}
	}
}
