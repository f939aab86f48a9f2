// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// writtenBy is how many bytes a process has caused to be written to disk, as proc_pid_io(5) counts them: when
// they are in the page cache, not when the disk has them.
func writtenBy(pid int) (int64, error) {
	path := fmt.Sprintf("/proc/%d/io", pid)
	content, err := os.ReadFile(path)
	if err != nil {
		return 0, err
	}
	_, rest, _ := strings.Cut(string(content), "\nwrite_bytes: ")
	line, _, _ := strings.Cut(rest, "\n")
	written, err := strconv.ParseInt(line, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%s: write_bytes: must be a number of bytes (got %q)", path, line)
	}
	return written, nil
}
