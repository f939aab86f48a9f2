// SPDX-License-Identifier: Apache-2.0

package chaos

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

// With 256 MiB and no backend, clients at full speed are told to come again; the process
// lives, and nothing that it took is lost.
func TestLittleMemory(t *testing.T) {
	long(t)
	f := func(name string, start func(*testing.T, string) *scenario, l load) {
		t.Run(name, func(t *testing.T) {
			group := newMemoryGroup(t, 256*mib)
			s := start(t, name)
			s.options.Env["OTELCOL_TC_IN_FLIGHT"] = "64"
			s.sink.away()
			c, clients := s.start(t)
			l.during = 8 * time.Second
			flood(t, clients, l)()
			require.True(t, c.Running(), "peak of %d MiB, %s kills", group.peak(t), group.oomKills(t))
			s.row.told = ask(t, c, l.shape.signal)
			s.note("answers %s", clients.answers)
			assert.Positive(t, clients.answers.of("OK", "200"))
			// How many are told to come again goes by how fast the machine is.
			assert.Equal(t, clients.answers.total(), clients.answers.of("OK", "200", "Unavailable", "503"))

			s.sink.back(t)
			s.awaitDelivered(t)
			assert.Equal(t, "0", group.oomKills(t))
			s.note("peak of %d MiB", group.peak(t))
		})
	}
	// 2.4 MiB on the wire, several times that once decoded.
	small := load{shape: shape{signal: traces, items: 40_000}, via: overGRPC, connections: 4}
	f("07 256 MiB, 40 000 spans a request, 4 connections: gateway", gatewayScenario, small)
	f("07 256 MiB, 40 000 spans a request, 4 connections: agent", agentScenario, small)
	small.connections = 16
	f("07 256 MiB, 40 000 spans a request, 16 connections: gateway", gatewayScenario, small)
	f("07 256 MiB, 40 000 spans a request, 16 connections: agent", agentScenario, small)
	gzip := load{shape: shape{signal: traces, items: 2000, padding: 3 * mib}, via: overHTTPCompressed, connections: 16}
	f("07 256 MiB, gzip that grows to 3 MiB, 16 connections: gateway", gatewayScenario, gzip)
	f("07 256 MiB, gzip that grows to 3 MiB, 16 connections: agent", agentScenario, gzip)
}

// memoryGroup is a cgroup with a memory limit, of version 1 or 2.
type memoryGroup struct {
	dir   string
	files groupFiles
}

// groupFiles are the names that the two versions give the same things.
type groupFiles struct {
	root, limit, peak, events string
}

var groupVersions = []groupFiles{
	{"/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.max_usage_in_bytes", "memory.oom_control"},
	{"/sys/fs/cgroup", "memory.max", "memory.peak", "memory.events"},
}

// newMemoryGroup makes a cgroup, in which the collectors run that the test starts from then on, or
// skips the test.
func newMemoryGroup(t *testing.T, limit int) *memoryGroup {
	t.Helper()
	var reasons []string
	for _, version := range groupVersions {
		g := &memoryGroup{filepath.Join(version.root, fmt.Sprintf("otelcol-tc-chaos-%d-%d", os.Getpid(), limit/mib)), version}
		if err := g.make(limit); err != nil {
			reasons = append(reasons, err.Error())
			continue
		}
		// After the collectors' own clean-up, which was not registered yet.
		t.Cleanup(func() { require.NoError(t, os.Remove(g.dir)) })
		g.enter(t)
		return g
	}
	t.Skip("no cgroup with a memory limit can be made here:", strings.Join(reasons, "; "))
	return nil
}

func (g *memoryGroup) make(limit int) error {
	if err := os.Mkdir(g.dir, 0o755); err != nil {
		return err
	}
	err := os.WriteFile(filepath.Join(g.dir, g.files.limit), []byte(strconv.Itoa(limit)), 0o600)
	if err != nil {
		_ = os.Remove(g.dir)
	}
	return err
}

// enter has the binary under test started inside.
func (g *memoryGroup) enter(t *testing.T) {
	t.Helper()
	script := filepath.Join(t.TempDir(), "otelcol-tc-in-cgroup")
	text := fmt.Sprintf("#!/bin/sh\necho $$ > %s/cgroup.procs && exec %s \"$@\"\n", g.dir, collectortest.Binary(t))
	require.NoError(t, os.WriteFile(script, []byte(text), 0o700))
	t.Setenv("OTELCOL_TC_BINARY", script)
}

// oomKills returns how often the kernel killed a process for its memory.
func (g *memoryGroup) oomKills(t *testing.T) string {
	t.Helper()
	found := regexp.MustCompile(`(?m)^oom_kill (\d+)$`).FindStringSubmatch(g.read(t, g.files.events))
	require.NotNil(t, found, "no count of kills")
	return found[1]
}

// peak returns the most memory that was ever used, in MiB.
func (g *memoryGroup) peak(t *testing.T) int {
	t.Helper()
	bytes, err := strconv.Atoi(strings.TrimSpace(g.read(t, g.files.peak)))
	require.NoError(t, err)
	return bytes / mib
}

func (g *memoryGroup) read(t *testing.T, file string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(g.dir, file))
	require.NoError(t, err)
	return string(content)
}
