// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"context"
	"fmt"
)

// runner compares pipelines.
type runner struct {
	binaries binaries
	rounds   int
	lengths  lengths
}

// comparison is what all pipelines of a trial made of its load.
type comparison struct {
	trial
	slices [][]slice // by pipeline, then by round
	memory []memory  // by pipeline
	// bytesOut are what the sink got of an item, by pipeline.
	bytesOut []float64
	// repeated counts the slices dropped because other processes disturbed them.
	repeated int
}

// compare starts a target for each pipeline and gives them slices in turn.
func (r runner) compare(ctx context.Context, t trial) (*comparison, error) {
	c := &comparison{trial: t, slices: make([][]slice, len(t.pipelines))}
	var targets []*target
	for _, p := range t.pipelines {
		started, err := r.binaries.startTarget(ctx, p, t.load)
		if err != nil {
			return nil, c.failed(ctx, p, err)
		}
		defer started.stop()
		targets = append(targets, started)
	}
	for round := range t.load.warmUps() + r.rounds {
		for i := range targets {
			// Each target comes first equally often.
			turn := (i + round) % len(targets)
			s, err := c.turn(ctx, targets[turn], r)
			if err != nil {
				return nil, c.failed(ctx, t.pipelines[turn], targets[turn].failed(err))
			}
			if round >= t.load.warmUps() {
				c.slices[turn] = append(c.slices[turn], s)
			}
		}
	}
	for _, t := range targets {
		c.memory, c.bytesOut = append(c.memory, t.memory), append(c.bytesOut, t.bytesOut())
	}
	return c, nil
}

// failed adds the load and the pipeline to an error. When the context is done it returns that error.
func (c *comparison) failed(ctx context.Context, p pipeline, err error) error {
	return cmp.Or(ctx.Err(), fmt.Errorf("%s, %s: %w", c.load, p, err))
}

// turn repeats a slice that was disturbed. The limit on how often, over the whole
// comparison, bounds its time on a machine that never comes to rest.
func (c *comparison) turn(ctx context.Context, t *target, r runner) (slice, error) {
	for {
		s, err := t.measure(ctx, r.lengths.measured)
		if err != nil || !s.disturbed() || c.repeated == r.rounds*len(c.pipelines) {
			return s, err
		}
		c.repeated++
	}
}
