// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/shirou/gopsutil/v4/cpu"
	"golang.org/x/sys/unix"
)

// cpuTime is the CPU time that a process has used, of all its threads, in user mode and in the
// kernel: its CPU clock, which counts nanoseconds where /proc/<pid>/stat has ticks.
func cpuTime(pid int) (time.Duration, error) {
	const ofScheduler = 2 // as clock_getcpuclockid(3) has it
	var used unix.Timespec
	if err := unix.ClockGettime(int32(^pid<<3|ofScheduler), &used); err != nil {
		return 0, fmt.Errorf("CPU clock of process %d: %w", pid, err)
	}
	return time.Duration(used.Nano()), nil
}

// machineTime is the CPU time that all processes together have used.
func machineTime() (time.Duration, error) {
	all, err := cpu.Times(false)
	if err != nil {
		return 0, err
	}
	return time.Duration((all[0].User + all[0].Nice + all[0].System) * float64(time.Second)), nil
}

// memory is the resident memory of a process, in bytes.
type memory struct {
	peak int64 // of the whole, kept by the kernel
	now  int64
}

func memoryOf(pid int) (memory, error) {
	status := func(field string) (int64, error) { return numberIn(fmt.Sprintf("/proc/%d/status", pid), field) }
	peak, peakErr := status("VmHWM")
	now, nowErr := status("VmRSS")
	return memory{peak, now}, errors.Join(peakErr, nowErr)
}

// writtenBy is how many bytes a process has caused to be written to disk, as proc_pid_io(5) counts them: when
// they are in the page cache, not when the disk has them.
func writtenBy(pid int) (int64, error) {
	return numberIn(fmt.Sprintf("/proc/%d/io", pid), "write_bytes")
}

// numberIn reads a number of a file with lines "name: value", in bytes.
func numberIn(path, name string) (int64, error) {
	text, ofKilobytes := strings.CutSuffix(fieldIn(path, name), " kB")
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%s: %s: must be a number (got %q)", path, name, text)
	}
	if ofKilobytes {
		n <<= 10
	}
	return n, nil
}

// fieldIn is the value of the first line "name: value" of a file.
func fieldIn(path, name string) string {
	content, _ := os.ReadFile(path) // without it the value is unknown
	for line := range strings.Lines(string(content)) {
		if key, value, found := strings.Cut(line, ":"); found && strings.TrimSpace(key) == name {
			return strings.TrimSpace(value)
		}
	}
	return "unknown"
}

// thisMachine describes what the figures were measured on.
func thisMachine() string {
	kernel, _ := os.ReadFile("/proc/sys/kernel/osrelease")
	bytes, _ := numberIn("/proc/meminfo", "MemTotal")
	return fmt.Sprintf("%s, %d CPUs, %.0f GiB, Linux %s, %s",
		fieldIn("/proc/cpuinfo", "model name"), runtime.NumCPU(), float64(bytes)/(1<<30), strings.TrimSpace(string(kernel)), runtime.Version())
}
