package chaos

import (
	"fmt"
	"net/http"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

// With a full disk under the queue, clients are told to come again; the process lives, and
// sends what it has when it can.
func TestDiskFull(t *testing.T) {
	f := func(name string, start func(*testing.T, string) *scenario) {
		t.Run(name, func(t *testing.T) {
			long(t)
			t.Parallel()
			disk := smallDisk(t, 24)
			s := start(t, name)
			s.options.Env["OTELCOL_TC_STATE"] = filepath.Join(disk, "state")
			s.sink.away()
			c, clients := s.start(t)
			l := load{shape{signal: traces, items: 2000}, overHTTP, 2, 8 * time.Second}
			flood(t, clients, l)()
			require.True(t, c.Running())
			unavailable := clients.answers.of(strconv.Itoa(http.StatusServiceUnavailable), strconv.Itoa(http.StatusInternalServerError))
			assert.Positive(t, unavailable)
			s.note("answers %s", clients.answers)
			enqueueFailed := c.SelfMetrics(t)["otelcol_exporter_enqueue_failed_spans"]
			assert.Positive(t, collectortest.Sum(enqueueFailed, nil), "the alert QueueFull reads it")

			s.sink.back(t)
			s.awaitDelivered(t)
			offer(t, clients, traces, 5)
			s.awaitDelivered(t)
			s.row.told = ask(t, c, traces)
			assert.Zero(t, s.row.told.failed)
		})
	}
	f("08 disk full: gateway", gatewayScenario)
	f("08 disk full: agent", agentScenario)
}

// smallDisk mounts a file system of so many MiB until the test ends.
func smallDisk(t *testing.T, size int) string {
	t.Helper()
	dir := t.TempDir()
	options := fmt.Sprintf("size=%dm", size)
	if output, err := exec.CommandContext(t.Context(), "mount", "-t", "tmpfs", "-o", options, "tmpfs", dir).CombinedOutput(); err != nil {
		t.Skipf("no file system can be mounted here: %v: %s", err, output)
	}
	t.Cleanup(func() { require.NoError(t, exec.Command("umount", dir).Run()) })
	return dir
}
