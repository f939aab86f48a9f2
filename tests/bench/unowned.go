// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
)

var allSignals = []string{"metrics", "traces", "logs"}

// signalsNamed returns the signals of a list of names.
func signalsNamed(names string) ([]string, error) {
	found := strings.Split(names, ",")
	for _, name := range found {
		if !slices.Contains(allSignals, name) {
			return nil, fmt.Errorf("--signals: must be of %s (got %q)", strings.Join(allSignals, ", "), name)
		}
	}
	return found, nil
}

// maxUnowned is what passing telemetry that no pack owns may cost, as a ratio to only forwarding it.
const maxUnowned = 1.05

// forwardingAgent is the agent without the processors that change data.
var forwardingAgent = shipped.running("builtin:agent, only forwarding", append(slices.Clone(agentProfile.configs), config("profiles/forwarding"))...)

// measureUnowned passes telemetry that no pack owns through the agent as it is shipped, and compares that with one that
// only forwards.
func (r runner) measureUnowned(ctx context.Context, signals []string) error {
	loads, err := unownedLoads(signals)
	if err != nil {
		return err
	}
	fmt.Print(tableHead())
	var all []*comparison
	for _, l := range loads {
		c, err := r.compare(ctx, trial{l, []pipeline{forwardingAgent.oursAtMost(maxUnowned), l.profile}})
		if err != nil {
			return err
		}
		for i := range c.pipelines {
			c.row(os.Stdout, i)
		}
		all = append(all, c)
	}
	sayDisturbances(os.Stdout, all)
	return nil
}

// nobodys make what no pack owns, by signal.
var nobodys = map[string]func(attributes int) any{
	"metrics": func(attributes int) any { return newMetrics(sources["nobodys_metrics"], attributes) },
	"traces":  func(attributes int) any { return newTraces(sources["nobodys_spans"], attributes) },
	"logs":    func(attributes int) any { return newLogs(sources["nobodys_logs"], attributes) },
}

// unownedLoads are items of some signals that no pack owns, for the agent.
func unownedLoads(signals []string) ([]*profileLoad, error) {
	var loads []*profileLoad
	for _, signal := range signals {
		for _, attributes := range []int{5, 10} {
			l, err := encode(attributes, ofNobody, nobodys[signal](attributes))
			if err != nil {
				return nil, err
			}
			loads = append(loads, &profileLoad{load: l, profile: agentProfile})
		}
	}
	return loads, nil
}
