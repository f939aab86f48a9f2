// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// memory is the resident memory of a process, in bytes.
type memory struct {
	peak int64 // of the whole, kept by the kernel
	anon int64 // heap and stacks
	file int64 // the binary's pages, which processes share
}

func memoryOf(pid int) (memory, error) {
	path := fmt.Sprintf("/proc/%d/status", pid)
	content, err := os.ReadFile(path)
	if err != nil {
		return memory{}, err
	}
	m, err := parseStatus(string(content))
	if err != nil {
		return memory{}, fmt.Errorf("%s: %w", path, err)
	}
	return m, nil
}

// parseStatus reads the fields of proc_pid_status(5), all in kB.
func parseStatus(content string) (memory, error) {
	var m memory
	for key, field := range map[string]*int64{"VmHWM": &m.peak, "RssAnon": &m.anon, "RssFile": &m.file} {
		_, rest, found := strings.Cut(content, "\n"+key+":")
		line, _, _ := strings.Cut(rest, "\n")
		kilobytes, err := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(line, "kB")), 10, 64)
		if !found || err != nil {
			return memory{}, fmt.Errorf("%s: must be a number of kB (got %q)", key, line)
		}
		*field = kilobytes << 10
	}
	return m, nil
}

// highest takes the higher of each figure.
func (m memory) highest(other memory) memory {
	return memory{max(m.peak, other.peak), max(m.anon, other.anon), max(m.file, other.file)}
}
