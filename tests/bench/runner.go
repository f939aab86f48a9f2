package main

import (
	"context"
	"fmt"
)

// comparison is what all pipelines made of one load.
type comparison struct {
	load      load
	gc        garbage
	pipelines []pipeline
	slices    [][]slice // by pipeline, then by round
	memory    []memory  // by pipeline
	// repeated counts the slices dropped because other processes disturbed them.
	repeated int
}

// compare starts a target for each pipeline and gives them slices in turn.
func compare(ctx context.Context, binary string, rounds int, gc garbage, l load) (*comparison, error) {
	pipelines := l.pipelines()
	c := &comparison{load: l, gc: gc, pipelines: pipelines, slices: make([][]slice, len(pipelines))}
	var targets []*target
	for _, p := range pipelines {
		t, err := startTarget(ctx, binary, p, gc, l)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.name, err)
		}
		defer t.stop()
		targets = append(targets, t)
	}
	for round := range l.warmUps() + rounds {
		for i := range targets {
			// Each target comes first equally often.
			turn := (i + round) % len(targets)
			s, err := c.turn(ctx, targets[turn], rounds*len(targets))
			if err != nil {
				return nil, fmt.Errorf("%s: %w", pipelines[turn].name, targets[turn].failed(err))
			}
			if round >= l.warmUps() {
				c.slices[turn] = append(c.slices[turn], s)
			}
		}
	}
	for _, t := range targets {
		c.memory = append(c.memory, t.memory)
	}
	return c, nil
}

// turn repeats a slice that was disturbed. The limit on how often, over the whole
// comparison, bounds its time on a machine that never comes to rest.
func (c *comparison) turn(ctx context.Context, t *target, limit int) (slice, error) {
	for {
		s, err := t.measure(ctx)
		if err != nil || !s.disturbed() || c.repeated == limit {
			return s, err
		}
		c.repeated++
	}
}
