package main

import (
	"bufio"
	"fmt"
	"os"
	"runtime/debug"
	"strings"
	"syscall"
	"time"
)

// startTime is longer than a collector takes to start.
const startTime = 5 * time.Second

// What only the start needed would stay in memory: garbage until the heap has grown to several
// times what is in use, and the pages of the binary, of which the kernel maps those around each
// one that is used. As with the memory limit, main takes nothing of this kind.
func init() {
	time.AfterFunc(startTime, func() {
		debug.FreeOSMemory()
		if err := unmapBinary(); err != nil {
			fmt.Fprintln(os.Stderr, "otelcol-tc: give back the binary's pages:", err)
		}
	})
}

// unmapBinary gives back the pages of the binary that the process only reads. Those that it
// still needs come back when they are read next, from the page cache.
func unmapBinary() error {
	binary, err := os.Readlink("/proc/self/exe")
	if err != nil {
		return err
	}
	maps, err := os.Open("/proc/self/maps")
	if err != nil {
		return err
	}
	defer maps.Close()
	lines := bufio.NewScanner(maps)
	for lines.Scan() {
		begin, end, ok := readOnly(lines.Text(), binary)
		if !ok {
			continue
		}
		if _, _, errno := syscall.Syscall(syscall.SYS_MADVISE, begin, end-begin, syscall.MADV_DONTNEED); errno != 0 {
			return fmt.Errorf("madvise: %w", errno)
		}
	}
	return lines.Err()
}

// readOnly returns the addresses of a mapping, a line of /proc/self/maps, if it is of the file
// and without any page that differs from it.
func readOnly(line, file string) (begin, end uintptr, ok bool) {
	var access, offset, device, inode string
	if _, err := fmt.Sscanf(line, "%x-%x %s %s %s %s", &begin, &end, &access, &offset, &device, &inode); err != nil {
		return 0, 0, false
	}
	return begin, end, !strings.Contains(access, "w") && strings.HasSuffix(line, " "+file)
}
