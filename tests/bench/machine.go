// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
)

// thisMachine describes what the figures were measured on.
func thisMachine() string {
	cpu, _ := os.ReadFile("/proc/cpuinfo")
	kernel, _ := os.ReadFile("/proc/sys/kernel/osrelease")
	memory, _ := os.ReadFile("/proc/meminfo")
	kilobytes, _ := strconv.Atoi(strings.TrimSuffix(fieldOf(string(memory), "MemTotal"), " kB"))
	return fmt.Sprintf("%s, %d CPUs, %.0f GiB, Linux %s, %s",
		fieldOf(string(cpu), "model name"), runtime.NumCPU(), float64(kilobytes)/(1<<20), strings.TrimSpace(string(kernel)), runtime.Version())
}

// fieldOf is the value of the first line "name: value".
func fieldOf(text, name string) string {
	for line := range strings.Lines(text) {
		if key, value, found := strings.Cut(line, ":"); found && strings.TrimSpace(key) == name {
			return strings.TrimSpace(value)
		}
	}
	return "unknown"
}
