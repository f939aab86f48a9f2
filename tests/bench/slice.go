// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"context"
	"errors"
	"os"
	"time"
)

// disturbance is the share of one CPU from which on other processes count as a
// disturbance: they take caches and cores away.
const disturbance = 0.1

// lengths are how long something is measured, and the time before it, in which heaps get their size. Slices of a
// comparison are short, so that those of one round see the same machine, and have rounds before them instead.
type lengths struct{ warmUp, measured time.Duration }

// slice is one turn of one target.
type slice struct {
	cpu    time.Duration // of the target's process
	others time.Duration // of all processes but the target and this one
	wall   time.Duration
	items  int64
	// sending is the part of wall in which requests were sent, if there is another part.
	sending time.Duration
	// written are bytes to disk by the target, also those that only the page cache has.
	written int64
}

// cpuPerItem is in nanoseconds.
func (s slice) cpuPerItem() float64 { return float64(s.cpu) / float64(s.items) }

// writtenPerItem is in bytes.
func (s slice) writtenPerItem() float64 { return float64(s.written) / float64(s.items) }

func (s slice) itemsPerSecond() float64 {
	return float64(s.items) / cmp.Or(s.sending, s.wall).Seconds()
}

func (s slice) disturbed() bool { return s.others.Seconds() > disturbance*s.wall.Seconds() }

// reading is what the counters say at one moment.
type reading struct {
	at                    time.Time
	target, self, machine time.Duration
	items, written        int64
}

// read reads the counters, and the one of items at the moment of the target's.
func (p *process) read(items func() int64) (reading, error) {
	target, err := cpuTime(p.pid)
	count, at := items(), time.Now()
	self, selfErr := cpuTime(os.Getpid())
	machine, machineErr := machineTime()
	written, writtenErr := writtenBy(p.pid)
	return reading{at, target, self, machine, count, written}, errors.Join(err, selfErr, machineErr, writtenErr)
}

// until is the slice between two readings.
func (begin reading) until(end reading) slice {
	s := slice{
		cpu:     end.target - begin.target,
		wall:    end.at.Sub(begin.at),
		items:   end.items - begin.items,
		written: end.written - begin.written,
	}
	s.others = max(0, end.machine-begin.machine-s.cpu-(end.self-begin.self))
	return s
}

func wait(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
