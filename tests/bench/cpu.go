package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// tick is the unit of times in /proc. USER_HZ is 100 on every Linux.
const tick = 10 * time.Millisecond

// cpuTime is the CPU time that a process has used, in user mode and in the kernel.
func cpuTime(pid int) (time.Duration, error) {
	path := fmt.Sprintf("/proc/%d/stat", pid)
	content, err := os.ReadFile(path)
	if err != nil {
		return 0, err
	}
	used, err := parseStat(string(content))
	if err != nil {
		return 0, fmt.Errorf("%s: %w", path, err)
	}
	return used, nil
}

// parseStat adds utime and stime, fields 14 and 15 of proc_pid_stat(5).
func parseStat(content string) (time.Duration, error) {
	// Field 2 is the program's name in parentheses, which may hold anything.
	fields := strings.Fields(content[strings.LastIndexByte(content, ')')+1:])
	const utime, stime = 14 - 3, 15 - 3
	if len(fields) <= stime {
		return 0, fmt.Errorf("must have at least 15 fields (got %q)", content)
	}
	return sumTicks(fields[utime], fields[stime])
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
