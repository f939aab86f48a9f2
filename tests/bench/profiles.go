package main

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"runtime"
	"time"
)

//go:embed configs/profiles/agent.yaml
var agentConfig string

//go:embed configs/profiles/gateway.yaml
var gatewayConfig string

var (
	agentProfile = pipeline{name: "builtin:agent", configs: []string{"builtin:agent", "builtin:fragments/agent-host", agentConfig}}
	// agentAtWork measures its machine, too.
	agentAtWork    = pipeline{name: "builtin:agent", configs: []string{"builtin:agent", "builtin:fragments/agent-host"}}
	gatewayProfile = pipeline{name: "builtin:gateway", configs: []string{"builtin:gateway", gatewayConfig}}
	passThrough    = pipeline{name: "otlp → nop", configs: []string{passThroughConfig}}
	followFiles    = pipeline{name: "file_log → nop", configs: []string{fileLogConfig}}
)

const itemHead = `| load | pipeline | CPU ns an item | quartiles | peak RSS MiB | bytes in | bytes out | bytes on disk |
| --- | --- | ---: | :---: | ---: | ---: | ---: | ---: |
`

// measureProfiles says what an item costs in the profiles as they are shipped, with Go's
// default garbage collection: CPU time, network, and disk while nobody takes it; and what
// the profiles take when there is little to do.
func measureProfiles(ctx context.Context, binary string, rounds int) error {
	fmt.Printf("%s, %d CPUs, %s; %d rounds of %s, requests of %d items on %d connections; files of %d lines; %s\n\n%s",
		time.Now().Format(time.DateTime), runtime.NumCPU(), binary, rounds, measured, itemsPerRequest, connections, linesPerFile, byDefault.name, itemHead)
	loads, err := profileLoads(ctx)
	if err != nil {
		return err
	}
	var all []*comparison
	for _, l := range loads {
		c, err := compare(ctx, binary, rounds, byDefault, l)
		if err != nil {
			return err
		}
		all = append(all, c)
		if err := l.rows(ctx, os.Stdout, binary, c); err != nil {
			return err
		}
	}
	repeated, left := disturbances(all)
	fmt.Printf("\nOther processes disturbed %d slices, which were repeated, and %d that count.\n", repeated, left)
	return paceProfiles(ctx, os.Stdout, binary, loads, all)
}
