package main

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

// Go knows nothing of a container's limit and would be killed by it. As with the command
// doctor, main takes nothing of this kind, so it is done before main runs. Nothing is printed,
// for this also runs before commands whose output programs read.
func init() { limitMemory(memlimit.FromCgroup) }

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
