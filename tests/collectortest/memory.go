// SPDX-License-Identifier: Apache-2.0

package collectortest

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

// PeakRSS returns the highest resident memory of the process since its start or the last ResetPeakRSS, in
// bytes. It reads /proc, and skips the test on systems without it.
func (c *Collector) PeakRSS(t testing.TB) int64 {
	t.Helper()
	return c.memory(t, "VmHWM")
}

// MemoryInUse returns the anonymous memory of the process and the file pages that it reads within a
// period, in bytes. The kernel also maps the pages around each page that is read. They are resident, but
// the kernel reclaims them first, and a container's working set does not include them. MemoryInUse reads
// /proc, and skips the test on systems without it.
func (c *Collector) MemoryInUse(t testing.TB, period time.Duration) int64 {
	t.Helper()
	const filePages = "3"
	if err := os.WriteFile(c.procFile("clear_refs"), []byte(filePages), 0); err != nil {
		t.Skipf("cannot reset the references to pages: %v", err)
	}
	time.Sleep(period)
	return c.memory(t, "RssAnon") + c.referencedFiles(t)
}

// referencedFiles returns the size of the file pages that were read since the last reset of the
// references.
func (c *Collector) referencedFiles(t testing.TB) (bytes int64) {
	t.Helper()
	smaps, err := os.ReadFile(c.procFile("smaps"))
	if err != nil {
		t.Skipf("cannot read the memory mappings: %v", err)
	}
	ofFile := false
	for line := range strings.Lines(string(smaps)) {
		fields := strings.Fields(line)
		switch {
		case len(fields) >= 5 && strings.Contains(fields[0], "-"): // the first line of a mapping
			inode := fields[4]
			ofFile = inode != "0"
		case ofFile && fields[0] == "Referenced:":
			var kib int64
			if _, err := fmt.Sscan(fields[1], &kib); err != nil {
				t.Fatalf("%s: %v", line, err)
			}
			bytes += kib * 1024
		}
	}
	return bytes
}

func (c *Collector) memory(t testing.TB, field string) int64 {
	t.Helper()
	status, err := os.ReadFile(c.procFile("status"))
	if err != nil {
		t.Skipf("cannot read the memory of the process: %v", err)
	}
	_, after, found := strings.Cut(string(status), field+":")
	var kib int64
	if _, err := fmt.Sscan(after, &kib); !found || err != nil {
		t.Fatalf("no %s in %s: %v", field, c.procFile("status"), err)
	}
	return kib * 1024
}

// ResetPeakRSS sets the peak to the current memory.
func (c *Collector) ResetPeakRSS(t testing.TB) {
	t.Helper()
	if err := os.WriteFile(c.procFile("clear_refs"), []byte("5"), 0); err != nil {
		t.Skipf("cannot reset the peak memory of the process: %v", err)
	}
}

// PID returns the id of the process.
func (c *Collector) PID() int { return c.program.Process.Pid }

func (c *Collector) procFile(name string) string { return fmt.Sprintf("/proc/%d/%s", c.PID(), name) }
