package tests

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
	binaryLimit = 125_000_000
	restLimit   = 80 << 20
	// restDeadline is several times the 5 s after which a collector gives back what its start
	// needed.
	restDeadline = 30 * time.Second
)

// See docs/adr/0016-footprint.md for what each part costs.
func TestBinaryIsSmall(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the limit is that of the released binaries")
	}
	info, err := os.Stat(collectortest.Binary(t))
	require.NoError(t, err)
	assert.LessOrEqual(t, info.Size(), int64(binaryLimit))
}

func TestMemoryAtRest(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("memory is given back on Linux only")
	}
	for _, configs := range [][]string{{"builtin:dev"}, {"builtin:gateway"}, withFragments("agent-host")} {
		t.Run(configs[len(configs)-1], func(t *testing.T) {
			t.Parallel() // they wait
			c := collectortest.Start(t, collectortest.Options{Configs: configs})
			collectortest.Eventually(t, restDeadline, func() (bool, string) {
				rss, peak := c.RSS(t), c.PeakRSS(t)
				return rss <= restLimit && rss < peak*3/4,
					fmt.Sprintf("at most %d MiB resident, and less than the start needed (got %d MiB of %d)", restLimit>>20, rss>>20, peak>>20)
			})
			assert.True(t, c.Healthy(), "what was given back comes back")
		})
	}
}
