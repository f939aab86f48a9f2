package main

import (
	"context"
	"fmt"
	"os"
)

var (
	agentProfile = asShipped.files("builtin:agent", "builtin:agent", "builtin:fragments/agent-host", config("profiles/agent"))
	// agentAtWork measures its machine, too.
	agentAtWork    = asShipped.files("builtin:agent", "builtin:agent", "builtin:fragments/agent-host")
	gatewayProfile = asShipped.files("builtin:gateway", "builtin:gateway", config("profiles/gateway"))
	followFiles    = stockDefault.files("file_log → nop", config("file_log"))
)

const itemHead = `| load | pipeline | CPU ns an item | quartiles | peak RSS MiB | bytes in | bytes out | bytes on disk |
| --- | --- | ---: | :---: | ---: | ---: | ---: | ---: |
`

// measureProfiles says what an item costs in the profiles as they are shipped: CPU time, network,
// and disk while nobody takes it; and what the profiles take when there is little to do.
func (r runner) measureProfiles(ctx context.Context) error {
	fmt.Print(itemHead)
	loads, err := profileLoads(ctx)
	if err != nil {
		return err
	}
	var all []*comparison
	for _, l := range loads {
		c, err := r.compare(ctx, trial{l, l.pipelines()})
		if err != nil {
			return err
		}
		all = append(all, c)
		if err := l.rows(ctx, os.Stdout, r.binaries, c); err != nil {
			return err
		}
	}
	repeated, left := disturbances(all)
	fmt.Printf("\nOther processes disturbed %d slices, which were repeated, and %d that count.\n", repeated, left)
	return paceProfiles(ctx, os.Stdout, r.binaries, loads, all)
}
