package main

import (
	"context"
	"errors"
	"os"
	"time"
)

const (
	// A slice is short, so that those of one round see the same machine. In its
	// first part the scheduler and the caches settle on the target; the second
	// counts, and is long against the 10 ms in which CPU time is accounted.
	warmUp   = 500 * time.Millisecond
	measured = 500 * time.Millisecond
	// disturbance is the share of one CPU from which on other processes count as
	// a disturbance: they take caches and cores away.
	disturbance = 0.1
)

// slice is one turn of one target.
type slice struct {
	cpu    time.Duration // of the target's process
	others time.Duration // of all processes but the target and this one
	wall   time.Duration
	items  int64
}

// cpuPerItem is in nanoseconds.
func (s slice) cpuPerItem() float64 { return float64(s.cpu) / float64(s.items) }

func (s slice) itemsPerSecond() float64 { return float64(s.items) / s.wall.Seconds() }

func (s slice) disturbed() bool { return s.others.Seconds() > disturbance*s.wall.Seconds() }

// reading is what the counters say at one moment.
type reading struct {
	at                    time.Time
	target, self, machine time.Duration
	items                 int64
}

func (t *target) read() (reading, error) {
	target, err := cpuTime(t.pid)
	items, at := t.accepted.Load(), time.Now()
	self, selfErr := cpuTime(os.Getpid())
	machine, machineErr := machineTime()
	return reading{at, target, self, machine, items}, errors.Join(err, selfErr, machineErr)
}

// measure gives the target one slice.
func (t *target) measure(ctx context.Context) (slice, error) {
	stop := t.start(ctx)
	wait(ctx, warmUp)
	begin, beginErr := t.read()
	wait(ctx, measured)
	end, endErr := t.read()
	seen, memoryErr := memoryOf(t.pid)
	if err := errors.Join(stop(), ctx.Err(), beginErr, endErr, memoryErr); err != nil {
		return slice{}, err
	}
	t.memory = t.memory.highest(seen)
	s := slice{
		cpu:   end.target - begin.target,
		wall:  end.at.Sub(begin.at),
		items: end.items - begin.items,
	}
	s.others = max(0, end.machine-begin.machine-s.cpu-(end.self-begin.self))
	if s.items == 0 {
		return slice{}, errors.New("no request was answered in a slice")
	}
	return s, nil
}

func wait(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
