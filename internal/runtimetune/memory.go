package runtimetune

import (
	"fmt"
	"os"

	"github.com/KimMachineGun/automemlimit/memlimit"
)

// memoryLimitRatio is the part of the container's memory that Go tries to stay within. It is
// over the limit of memory_limiter (70 % in the profiles), which is there to refuse data while
// the collector works well: below it, Go would spend its time on collecting garbage before
// anything was refused. What is left is for memory that is not Go's: sockets, mapped files.
const memoryLimitRatio = 0.8

// setMemoryLimit limits the memory that Go uses by the limit of the container. Go does not know
// that one, and the kernel would kill the process.
func setMemoryLimit() { limitMemory(memlimit.FromCgroup) }

// limitMemory sets what the variable GOMEMLIMIT sets, unless it is set. Where there is no
// limit, or no control group, there is none to keep.
func limitMemory(container memlimit.Provider) {
	provider := func() (uint64, error) {
		limit, err := container()
		if err != nil {
			return 0, memlimit.ErrNoLimit
		}
		return limit, nil
	}
	if _, err := memlimit.Set(memlimit.WithRatio(memoryLimitRatio), memlimit.WithProvider(provider)); err != nil {
		fmt.Fprintln(os.Stderr, "otelcol-tc:", err) // of AUTOMEMLIMIT, which the library reads
	}
}
