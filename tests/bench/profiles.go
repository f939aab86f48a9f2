// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"io"
	"os"
)

var (
	agentProfile = shipped.running("builtin:agent", "builtin:agent", "builtin:fragments/agent-host", config("profiles/agent"))
	// agentAtWork measures its machine, too.
	agentAtWork    = shipped.running("builtin:agent", "builtin:agent", "builtin:fragments/agent-host")
	gatewayProfile = shipped.running("builtin:gateway", "builtin:gateway", config("profiles/gateway"))
	followFiles    = stock.running("file_log → nop", config("file_log"))
)

// measureProfiles says what an item costs in the profiles as they are shipped, beside stock collectors: CPU
// time, network, and disk while somebody takes it and while nobody does.
func (r runner) measureProfiles(ctx context.Context) error {
	loads, err := profileLoads(ctx)
	if err != nil {
		return err
	}
	all, err := r.profileTable(ctx, os.Stdout, loads)
	if err != nil {
		return err
	}
	fmt.Printf("\n%s", gains(all))
	sayDisturbances(os.Stdout, all)
	for _, over := range missed(all) {
		fmt.Println("- missed:", over)
	}
	return nil
}

// profileTable compares each profile with what stands in its place, and writes the table.
func (r runner) profileTable(ctx context.Context, w io.Writer, loads []*profileLoad) (all []*comparison, err error) {
	fmt.Fprint(w, tableHead("bytes in", "bytes out", "bytes written", "on disk in an outage", "drained items/s", "drained of what comes at half load"))
	for _, l := range loads {
		c, err := r.compare(ctx, trial{l, l.pipelines()})
		if err != nil {
			return nil, err
		}
		all = append(all, c)
		if err := l.rows(ctx, w, r.binaries, c); err != nil {
			return nil, err
		}
	}
	return all, nil
}
