// SPDX-License-Identifier: Apache-2.0

package chaos

import (
	"fmt"
	"net/http"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
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
			s.options.Env["OTELCOL_TC_MIN_FREE"] = strconv.Itoa(4 * mib)
			s.sink.away()
			c, clients := s.start(t)
			// The load goes on while the disk is full, and when there is room again.
			wait := flood(t, clients, load{shape{signal: traces, items: 2000}, overHTTP, 2, 25 * time.Second})
			awaitReadiness(t, c, func(status int, body string) bool {
				return status == http.StatusServiceUnavailable && strings.Contains(body, "disk_full")
			})
			require.True(t, c.Running())
			assert.Positive(t, clients.answers.of(strconv.Itoa(http.StatusServiceUnavailable)))
			rejected := c.SelfMetrics(t)["otelcol_spillover_rejected_items"]
			assert.Positive(t, collectortest.Sum(rejected, nil), "the alert QueueFull reads it")
			var free syscall.Statfs_t
			require.NoError(t, syscall.Statfs(disk, &free))
			assert.GreaterOrEqual(t, int64(free.Bavail)*free.Bsize, int64(3*mib), "the queue leaves room for others")

			s.sink.back(t)
			awaitReadiness(t, c, func(status int, _ string) bool { return status == http.StatusOK })
			wait()
			s.note("answers %s", clients.answers)
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
