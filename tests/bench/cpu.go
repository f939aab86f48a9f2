// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// tick is the unit of times in /proc/stat. USER_HZ is 100 on every Linux.
const tick = 10 * time.Millisecond

// cpuTime is the CPU time that a process has used, of all its threads, in user mode and in the
// kernel: its CPU clock, which counts nanoseconds where /proc/<pid>/stat has ticks.
func cpuTime(pid int) (time.Duration, error) {
	var used unix.Timespec
	if err := unix.ClockGettime(cpuClock(pid), &used); err != nil {
		return 0, fmt.Errorf("CPU clock of process %d: %w", pid, err)
	}
	return time.Duration(used.Nano()), nil
}

// cpuClock is what clock_getcpuclockid(3) returns.
func cpuClock(pid int) int32 {
	const ofScheduler = 2
	return int32(^pid<<3 | ofScheduler)
}

// machineTime is the CPU time that all processes together have used.
func machineTime() (time.Duration, error) {
	content, err := os.ReadFile("/proc/stat")
	if err != nil {
		return 0, err
	}
	used, err := parseMachineStat(string(content))
	if err != nil {
		return 0, fmt.Errorf("/proc/stat: %w", err)
	}
	return used, nil
}

// parseMachineStat adds user, nice and system of the first line of proc_stat(5).
func parseMachineStat(content string) (time.Duration, error) {
	line, _, _ := strings.Cut(content, "\n")
	fields := strings.Fields(line)
	if len(fields) < 4 || fields[0] != "cpu" {
		return 0, fmt.Errorf("must begin with the times of all CPUs (got %q)", line)
	}
	return sumTicks(fields[1:4]...)
}

func sumTicks(fields ...string) (time.Duration, error) {
	var sum time.Duration
	for _, field := range fields {
		ticks, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			return 0, fmt.Errorf("must be a number of clock ticks (got %q)", field)
		}
		sum += time.Duration(ticks) * tick
	}
	return sum, nil
}
