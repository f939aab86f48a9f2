// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

const (
	// openWidth is how many requests can be under way in the open loop: more than a target
	// that keeps up ever has.
	openWidth = 16
	// openShare of the slowest pipeline's capacity is what all get; more than 0.6 would
	// measure the queue.
	openShare = 0.5
	// capacityRounds find that capacity.
	capacityRounds = 3
	openTurns      = 3
	openTurn       = 5 * time.Second
)

const latencyHead = `| load | requests of 512 a second | pipeline | p50 ms | p99 ms | longest ms |
| --- | ---: | --- | ---: | ---: | ---: |
`

// latencies sends at a fixed rate, whatever the answers, and times each request from when it
// was to be sent: a target that stalls makes those late that come after.
func (r runner) latencies(ctx context.Context, w io.Writer) error {
	fmt.Fprint(w, latencyHead)
	loads, err := profileLoads(ctx)
	if err != nil {
		return err
	}
	for _, l := range loads {
		requests, ok := l.requests()
		if !ok {
			continue
		}
		if err := r.latency(ctx, w, trial{l, []pipeline{l.beside[0], l.profile}}, requests); err != nil {
			return err
		}
	}
	return nil
}

func (r runner) latency(ctx context.Context, w io.Writer, t trial, load otlpLoad) error {
	closed := r
	closed.rounds = capacityRounds
	c, err := closed.compare(ctx, t)
	if err != nil {
		return err
	}
	capacity := min(c.each(0, slice.itemsPerSecond).median, c.each(1, slice.itemsPerSecond).median)
	rate := openShare * capacity / float64(load.items)
	took := make([][]time.Duration, len(t.pipelines))
	var senders []*sender
	for _, p := range t.pipelines {
		target, err := r.binaries.startTarget(ctx, p, t.load)
		if err != nil {
			return err
		}
		defer target.stop()
		open, err := newWideSender(target.data, load, openWidth)
		if err != nil {
			return err
		}
		defer func() { _ = open.close() }()
		senders = append(senders, open)
	}
	for number := range 1 + openTurns {
		for i, s := range senders {
			some, err := s.sendAtRate(ctx, rate, openTurn)
			if err != nil {
				return err
			}
			if number > 0 { // the first is for heaps and connections
				took[i] = append(took[i], some...)
			}
		}
	}
	for i, p := range t.pipelines {
		slices.Sort(took[i])
		fmt.Fprintf(w, "| %s | %.0f | %s | %.2f | %.2f | %.2f |\n", load, rate, p,
			milliseconds(took[i], 0.5), milliseconds(took[i], 0.99), milliseconds(took[i], 1))
	}
	return nil
}

// milliseconds are those that a share of sorted durations stays within.
func milliseconds(sorted []time.Duration, share float64) float64 {
	return sorted[int(share*float64(len(sorted)-1))].Seconds() * 1000
}

// sendAtRate sends so many requests a second, by turns on all connections.
func (s *sender) sendAtRate(ctx context.Context, rate float64, duration time.Duration) (took []time.Duration, err error) {
	width := len(s.connections)
	durations, errs := make([][]time.Duration, width), make([]error, width)
	begin := time.Now()
	var wait sync.WaitGroup
	for i := range s.connections {
		wait.Go(func() {
			for n := i; ; n += width {
				after := time.Duration(float64(n) / rate * float64(time.Second))
				if after > duration || ctx.Err() != nil {
					return
				}
				sleep(after - time.Since(begin))
				if errs[i] = s.send(ctx, i); errs[i] != nil {
					return
				}
				durations[i] = append(durations[i], time.Since(begin)-after)
			}
		})
	}
	wait.Wait()
	for i := range errs {
		if errs[i] != nil {
			return nil, errs[i]
		}
		took = append(took, durations[i]...)
	}
	return took, ctx.Err()
}

// sleep is the kernel's: Go's timers of an idle process can be a millisecond late.
func sleep(d time.Duration) {
	if d <= 0 {
		return
	}
	left := unix.NsecToTimespec(d.Nanoseconds())
	for unix.Nanosleep(&left, &left) == unix.EINTR {
		continue
	}
}
