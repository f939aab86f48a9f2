// SPDX-License-Identifier: Apache-2.0

package command

import (
	"fmt"
	"os"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

const (
	binaryLimit = 133_500_000
	restLimit   = 80 << 20
	restPeriod  = 10 * time.Second
	// restDeadline is many times what a collector takes to give back the memory of its start.
	restDeadline = 2 * time.Minute
)

// See docs/adr/0001-distribution.md for what each part costs.
func TestBinaryIsSmall(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the limit is that of the released binaries")
	}
	info, err := os.Stat(collectortest.Binary(t))
	require.NoError(t, err)
	assert.LessOrEqual(t, info.Size(), int64(binaryLimit))
}

// The limit is of what a container is charged; docs/adr/0002-footprint.md says why it is not of
// the resident set.
func TestMemoryAtRest(t *testing.T) {
	collectortest.NeedsMeasuring(t)
	for _, configs := range [][]string{{"builtin:dev"}, {"builtin:gateway"}, collectortest.WithFragments("agent-host")} {
		t.Run(configs[len(configs)-1], func(t *testing.T) {
			t.Parallel() // they wait
			c := collectortest.Start(t, collectortest.Options{Configs: configs})
			// When the start is over depends on the machine.
			collectortest.Eventually(t, restDeadline, func() (bool, string) {
				used := c.MemoryInUse(t, restPeriod)
				return used <= restLimit, fmt.Sprintf("%d MiB in use, at most %d at rest", used>>20, restLimit>>20)
			})
		})
	}
}
