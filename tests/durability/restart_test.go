// SPDX-License-Identifier: Apache-2.0

package durability

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
	"github.com/otelcol-tc/otelcol-tc/tests/payload"
)

// storedSeries makes cardinality keep its series in a directory.
func storedSeries(directory string) []string {
	return []string{"builtin:dev", fmt.Sprintf("yaml:{processors: {cardinality: {state_directory: %q}}}", directory)}
}

// A merged counter over the end of a collector and the start of the next: with what
// was stored it goes on, as if nothing had been; without, or when that cannot be
// read, it starts again and counts nothing twice.
func TestMergedCountersOverRestarts(t *testing.T) {
	t.Parallel()
	var store *payload.Program
	var first, second *payload.Stream
	send := func(c *collectortest.Collector) { store.Export(t, store.Streams, c) }
	begin := func(configs []string) *collectortest.Collector {
		c := collectortest.Start(t, collectortest.Options{Configs: configs})
		store = payload.NewStore("store-1")
		first, second = store.Begin("a"), store.Begin("b")
		first.Count(payload.Counts{Things: 10})
		second.Count(payload.Counts{Things: 5})
		send(c)
		first.Count(payload.Counts{Things: 2})
		send(c)
		assert.Equal(t, []int64{15, 17}, mergedCounter(t, c, 2))
		return c
	}
	goOn := func(c *collectortest.Collector) []int64 {
		second.Count(payload.Counts{Things: 3})
		send(c)
		first.Count(payload.Counts{Things: 4})
		send(c)
		return mergedCounter(t, c, 2)
	}
	restart := func(configs []string, between func()) (*collectortest.Collector, []int64) {
		require.Zero(t, begin(configs).Stop(t).Code)
		between()
		c := collectortest.Start(t, collectortest.Options{Configs: configs})
		return c, goOn(c)
	}
	const unreadable = "the stored snapshot cannot be read"

	t.Run("with state", func(t *testing.T) {
		c, values := restart(storedSeries(t.TempDir()), func() {})
		assert.Equal(t, []int64{20, 24}, values)
		assert.NotContains(t, c.Logs(), unreadable)
	})
	t.Run("without state", func(t *testing.T) {
		_, values := restart([]string{"builtin:dev"}, func() {})
		assert.Equal(t, []int64{0, 4}, values)
	})
	t.Run("with corrupt state", func(t *testing.T) {
		directory := t.TempDir()
		c, values := restart(storedSeries(directory), func() { corrupt(t, directory) })
		assert.Equal(t, []int64{0, 4}, values)
		assert.Contains(t, c.Logs(), unreadable)
	})
	t.Run("killed", func(t *testing.T) {
		configs := storedSeries(t.TempDir())
		c, _ := restart(configs, func() {})
		c.Kill(t) // what it was started from must not serve again
		c = collectortest.Start(t, collectortest.Options{Configs: configs})
		assert.Equal(t, []int64{0, 4}, goOn(c))
	})
	t.Run("reloaded", func(t *testing.T) {
		c := begin(storedSeries(t.TempDir()))
		c.Reload(t) // the file starts empty
		assert.Equal(t, []int64{20, 24}, goOn(c))
	})
}

// mergedCounter returns the values of the store's counter, once there are so many,
// and checks that they are of one series.
func mergedCounter(t *testing.T, c *collectortest.Collector, want int) (values []int64) {
	t.Helper()
	collectortest.Eventually(t, collectortest.ArrivalTimeout, func() (bool, string) {
		values = nil
		var start, last pcommon.Timestamp
		for metric := range collectortest.AllMetrics(c.Metrics(t)) {
			if metric.Name() != "tc_replica_register_total" {
				continue
			}
			for _, p := range metric.Sum().DataPoints().All() {
				values = append(values, p.IntValue())
				assert.Equal(t, map[string]any{"tc.location": "gpu"}, p.Attributes().AsRaw())
				if start != 0 {
					assert.Equal(t, start, p.StartTimestamp())
					assert.Greater(t, p.Timestamp(), last)
				}
				start, last = p.StartTimestamp(), p.Timestamp()
			}
		}
		return len(values) >= want, fmt.Sprintf("%d values, want %d", len(values), want)
	})
	return values
}

// corrupt changes a byte of what the processor stored.
func corrupt(t *testing.T, directory string) {
	t.Helper()
	file := filepath.Join(directory, "series")
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	data[len(data)/2] ^= 1
	require.NoError(t, os.WriteFile(file, data, 0o600))
}
