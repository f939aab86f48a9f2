// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/google/pprof/profile"
)

// stageLengths give a thousand samples at full speed.
var stageLengths = lengths{5 * time.Second, 10 * time.Second}

// littleTimes is how much longer a profile with little to do is watched: it gives few samples.
const littleTimes = 6

// measureStages says by stage where the CPU time of agent and gateway goes, what allocates, and what keeps memory:
// at rest, with little to do, and at full speed.
func (r runner) measureStages(ctx context.Context, signals []string) error {
	w := csv.NewWriter(os.Stdout)
	_ = w.Write([]string{"profile", "load", "stage", "% of its CPU", "CPU ns an item", "% of a core", "bytes allocated an item", "heap MiB"})
	return eachProfile(ctx, signals, func(p pipeline, loads []*profileLoad) error {
		return r.watchStages(ctx, p, loads, func(load string, u stageUse) error {
			for _, row := range u.rows() {
				_ = w.Write(append([]string{p.name, load}, row...))
			}
			w.Flush()
			return w.Error()
		})
	})
}

// watchStages runs a profile of a binary that serves profiles, and reports each load.
func (r runner) watchStages(ctx context.Context, p pipeline, loads []*profileLoad, report func(string, stageUse) error) error {
	t, address, err := r.binaries.startProfiled(ctx, p, loads[0])
	if err != nil {
		return err
	}
	defer t.stop()
	run := func(phase memoryPhase, what string, times int, loads ...*profileLoad) error {
		return phase.during(ctx, t, loads, r.lengths.warmUp, func(senders []*sender) error {
			u, err := t.watchStages(ctx, address, time.Duration(times)*r.lengths.measured, senders)
			if err != nil {
				return err
			}
			return report(what+phase.name, u)
		})
	}
	wait(ctx, startUp)
	if err := run(memoryAtRest, "", littleTimes); err != nil {
		return err
	}
	if err := run(memoryLittle, "", littleTimes, loads...); err != nil {
		return err
	}
	for _, l := range loads {
		if err := run(memoryFull, fmt.Sprint(l, ", "), 1, l); err != nil {
			return err
		}
	}
	return nil
}

// stageUse is what each stage took over some time.
type stageUse struct {
	slice
	time, allocated, heap map[string]int64
}

// watchStages gets profiles of the target, at an address.
func (t *target) watchStages(ctx context.Context, address string, period time.Duration, senders []*sender) (u stageUse, err error) {
	fetch := func(name string) *profile.Profile {
		p, fetchErr := fetchProfile(ctx, address, name)
		err = errors.Join(err, fetchErr)
		return p
	}
	items := func() int64 { return accepted(senders) }
	// The heap is what lives after a collection.
	before := fetch("heap?gc=1")
	begin, beginErr := t.read(items)
	cpu := fetch(cpuProfile(period))
	end, endErr := t.read(items)
	after := fetch("heap?gc=1")
	if err := errors.Join(err, beginErr, endErr, ctx.Err()); err != nil {
		return u, err
	}
	u = stageUse{begin.until(end), byStage(cpu, "cpu"), byStage(after, "alloc_space"), byStage(after, "inuse_space")}
	for stage, bytes := range byStage(before, "alloc_space") {
		u.allocated[stage] -= bytes
	}
	return u, nil
}

// rows are of the stages that took something.
func (u stageUse) rows() (rows [][]string) {
	var all int64
	for _, t := range u.time {
		all += t
	}
	for _, s := range append(stages, stage{Name: runtimeStage}, stage{Name: unknownStage}) {
		share := float64(u.time[s.Name]) / float64(max(1, all))
		cpu, allocated := "", ""
		if u.items > 0 {
			cpu = fmt.Sprintf("%.0f", share*u.cpuPerItem())
			allocated = fmt.Sprintf("%.0f", float64(u.allocated[s.Name])/float64(u.items))
		}
		heap := fmt.Sprintf("%.1f", float64(u.heap[s.Name])/(1<<20))
		if share > 0 || heap != "0.0" {
			rows = append(rows, []string{s.Name, fmt.Sprintf("%.1f", 100*share), cpu,
				fmt.Sprintf("%.2f", 100*share*u.cpu.Seconds()/u.wall.Seconds()), allocated, heap})
		}
	}
	return rows
}
