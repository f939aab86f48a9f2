package collectortest

import (
	"testing"
	"time"
)

// pollInterval is short against everything that tests wait for.
const pollInterval = 20 * time.Millisecond

// Eventually calls condition until it holds, at most for timeout, and then fails
// the test with the state that the last call described.
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
