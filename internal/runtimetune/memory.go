// SPDX-License-Identifier: Apache-2.0

package runtimetune

import (
	"fmt"
	"os"

	"github.com/KimMachineGun/automemlimit/memlimit"
)

// memoryLimitRatio is the part of the container's memory limit that Go tries to stay within. It is above
// the limit of memory_limiter (70 % in the profiles), which should refuse data first. Below that limit, Go
// would spend its time on garbage collection before memory_limiter refuses anything. The rest is for
// memory that Go does not manage: sockets and mapped files.
const memoryLimitRatio = 0.8

// setMemoryLimit sets Go's memory limit from the container's limit. Go does not read that limit, and the
// kernel would kill the process.
func setMemoryLimit() { limitMemory(memlimit.FromCgroup) }

// limitMemory sets Go's memory limit unless the variable GOMEMLIMIT does. Without a container limit or a
// control group it sets none.
func limitMemory(container memlimit.Provider) {
	provider := func() (uint64, error) {
		limit, err := container()
		if err != nil {
			return 0, memlimit.ErrNoLimit
		}
		return limit, nil
	}
	if _, err := memlimit.Set(memlimit.WithRatio(memoryLimitRatio), memlimit.WithProvider(provider)); err != nil {
		fmt.Fprintln(os.Stderr, "otelcol-tc:", err) // an error in AUTOMEMLIMIT, which the library reads
	}
}
