// SPDX-License-Identifier: Apache-2.0

package collectortest

import (
	"os"
	"testing"
)

// Signal sends a signal and does not wait for its effect.
func (c *Collector) Signal(t testing.TB, signal os.Signal) {
	t.Helper()
	if err := c.process.cmd.Process.Signal(signal); err != nil {
		t.Fatalf("send %s to the collector: %v", signal, err)
	}
}
