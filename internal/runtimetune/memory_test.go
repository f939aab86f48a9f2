// SPDX-License-Identifier: Apache-2.0

package runtimetune

import (
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/KimMachineGun/automemlimit/memlimit"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const mib = 1 << 20

// printMemoryLimit makes TestPrintMemoryLimit print the memory limit of its process.
const printMemoryLimit = "TC_PRINT_MEMORY_LIMIT"

func TestPrintMemoryLimit(t *testing.T) {
	if os.Getenv(printMemoryLimit) == "" {
		t.Skip("started by TestMemoryLimitOfAContainer")
	}
	setMemoryLimit()
	fmt.Printf("limit=%d\n", debug.SetMemoryLimit(-1))
}

// TestMemoryLimitOfAContainer runs a process in a new control group of this machine's kernel.
func TestMemoryLimitOfAContainer(t *testing.T) {
	group := newControlGroup(t, 256*mib)
	f := func(want int64, variables ...string) {
		t.Helper()
		// The shell enters the group and replaces itself with the test.
		cmd := exec.CommandContext(t.Context(), "sh", "-c", `echo $$ > "$0"/cgroup.procs && exec "$@"`,
			group, os.Args[0], "-test.run=^TestPrintMemoryLimit$", "-test.v")
		cmd.Env = append(without(os.Environ(), "GOMEMLIMIT", "AUTOMEMLIMIT"), append(variables, printMemoryLimit+"=1")...)
		output, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", output)
		assert.Contains(t, string(output), fmt.Sprintf("limit=%d\n", want), variables)
	}
	f(256 * mib * 8 / 10)
	f(100*mib, "GOMEMLIMIT=100MiB")
	f(math.MaxInt64, "GOMEMLIMIT=off")
	f(math.MaxInt64, "AUTOMEMLIMIT=off")
}

func TestMemoryLimitWithoutAContainer(t *testing.T) {
	before := debug.SetMemoryLimit(-1)
	t.Cleanup(func() { debug.SetMemoryLimit(before) })
	f := func(container memlimit.Provider, want int64) {
		t.Helper()
		debug.SetMemoryLimit(512 * mib)
		limitMemory(container)
		assert.Equal(t, want, debug.SetMemoryLimit(-1))
	}
	for _, variable := range []string{"GOMEMLIMIT", "AUTOMEMLIMIT"} {
		t.Setenv(variable, "") // Setenv restores it after the test
		require.NoError(t, os.Unsetenv(variable))
	}
	f(func() (uint64, error) { return 0, memlimit.ErrNoLimit }, math.MaxInt64)
	f(func() (uint64, error) { return 0, errors.New("no control groups") }, math.MaxInt64)
	f(memlimit.Limit(1000), 800)
}

func without(variables []string, names ...string) (rest []string) {
	for _, variable := range variables {
		found := false
		for _, name := range names {
			found = found || strings.HasPrefix(variable, name+"=")
		}
		if !found {
			rest = append(rest, variable)
		}
	}
	return rest
}

// newControlGroup creates a control group with a memory limit, in version 1 or 2, or skips the test.
func newControlGroup(t *testing.T, limit int) string {
	t.Helper()
	parent, file := "/sys/fs/cgroup/memory", "memory.limit_in_bytes"
	if _, err := os.Stat("/sys/fs/cgroup/cgroup.controllers"); err == nil {
		parent, file = "/sys/fs/cgroup", "memory.max"
	}
	group := filepath.Join(parent, fmt.Sprint("otelcol-tc-test-", os.Getpid()))
	if err := os.Mkdir(group, 0o700); err != nil {
		t.Skipf("no control group can be made here: %v", err)
	}
	t.Cleanup(func() { assert.NoError(t, os.Remove(group)) }) // its process has ended
	if err := os.WriteFile(filepath.Join(group, file), fmt.Append(nil, limit), 0o600); err != nil {
		t.Skipf("no control group can limit memory here: %v", err)
	}
	return group
}
