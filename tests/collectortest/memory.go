package collectortest

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// PeakRSS returns the highest resident memory of the process since its start or
// the last ResetPeakRSS, in bytes. It reads /proc, so it skips the test where
// there is none.
func (c *Collector) PeakRSS(t testing.TB) int64 {
	t.Helper()
	return c.memory(t, "VmHWM")
}

// RSS returns the resident memory of the process, in bytes. It reads /proc, so it skips the
// test where there is none.
func (c *Collector) RSS(t testing.TB) int64 {
	t.Helper()
	return c.memory(t, "VmRSS")
}

func (c *Collector) memory(t testing.TB, field string) int64 {
	t.Helper()
	status, err := os.ReadFile(c.procFile("status"))
	if err != nil {
		t.Skipf("no process memory to read here: %v", err)
	}
	_, after, found := strings.Cut(string(status), field+":")
	var kib int64
	if _, err := fmt.Sscan(after, &kib); !found || err != nil {
		t.Fatalf("no %s in %s: %v", field, c.procFile("status"), err)
	}
	return kib * 1024
}

// ResetPeakRSS makes the next PeakRSS count from the present memory.
func (c *Collector) ResetPeakRSS(t testing.TB) {
	t.Helper()
	if err := os.WriteFile(c.procFile("clear_refs"), []byte("5"), 0); err != nil {
		t.Skipf("no process memory to reset here: %v", err)
	}
}

func (c *Collector) procFile(name string) string {
	return fmt.Sprintf("/proc/%d/%s", c.process.cmd.Process.Pid, name)
}
