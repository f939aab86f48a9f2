// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/otelcol-tc/otelcol-tc/tests/loopback"
)

// atRest is how often in a row a target has to do next to nothing until its queues are
// taken for empty: they wait for a batch to fill for as long as one pause.
const atRest = 3

// load is what the targets of one comparison get to do.
type load interface {
	fmt.Stringer
	// warmUps are the rounds at the beginning that do not count: heaps grow to their
	// size, and names become known.
	warmUps() int
	// feed makes what gives one target the load: a target that listens at data, if
	// its pipeline listens, and for scrapes of its own metrics at telemetry.
	feed(data, telemetry string) (feed, error)
}

// feed gives one target its load.
type feed interface {
	// env is what the target's configuration asks of its environment.
	env() []string
	// ready waits until the target takes what it gets.
	ready(ctx context.Context) error
	// measure gives the target one slice.
	measure(ctx context.Context, t *target, length time.Duration) (slice, error)
	close() error
}

// target is a running collector with a state directory, the load on it, and a sink for all it sends.
type target struct {
	*process
	load   *profileLoad
	feed   feed
	data   string // address where it takes OTLP
	sink   *sink
	state  string
	memory memory // as seen last
	taken  int64  // items, of slices and before
}

// startTarget runs a collector until stop is called.
func (b binaries) startTarget(ctx context.Context, p pipeline, l *profileLoad) (*target, error) {
	t := &target{load: l}
	if err := t.start(ctx, b[p.build], p); err != nil {
		t.stop()
		return nil, err
	}
	return t, nil
}

func (t *target) start(ctx context.Context, binary string, p pipeline) error {
	addresses, err := loopback.FreeAddresses(2)
	if err != nil {
		return err
	}
	var telemetry string // address of its own metrics
	t.data, telemetry = addresses[0], addresses[1]
	if t.feed, err = t.load.feed(t.data, telemetry); err != nil {
		return err
	}
	if t.state, err = os.MkdirTemp("", "otelcol-tc-bench-"); err != nil {
		return err
	}
	if t.sink, err = newSink(); err != nil {
		return err
	}
	args, env := p.command()
	env = slices.Concat(profileEnv(t.data, telemetry, t.state, t.sink), t.feed.env(), env)
	if t.process, err = startProcess(binary, args, env, telemetry); err != nil {
		return err
	}
	if err := t.ready(ctx); err != nil {
		return fmt.Errorf("start: %w", t.failed(err))
	}
	return nil
}

// ready waits for the collector, and no longer than it lives.
func (t *target) ready(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startDeadline)
	defer cancel()
	go func() {
		select {
		case <-t.Ended:
			cancel()
		case <-ctx.Done():
		}
	}()
	return t.feed.ready(ctx)
}

func (t *target) measure(ctx context.Context, length time.Duration) (slice, error) {
	s, err := t.feed.measure(ctx, t, length)
	if err != nil {
		return slice{}, err
	}
	t.taken += s.items
	t.memory, err = memoryOf(t.pid)
	return s, err
}

// rest waits until the target does next to nothing and the sink gets nothing.
func (t *target) rest(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, readDeadline)
	defer cancel()
	for quiet := 0; quiet < atRest; {
		before := t.sink.bytes.Load()
		resting, err := t.rests(ctx)
		if err != nil {
			return err
		}
		if ctx.Err() != nil {
			return fmt.Errorf("the profile has not come to rest: %w", ctx.Err())
		}
		if resting && t.sink.bytes.Load() == before {
			quiet++
		} else {
			quiet = 0
		}
	}
	return nil
}

// bytesOut are what the sink got of each item.
func (t *target) bytesOut() float64 { return float64(t.sink.bytes.Load()) / float64(t.taken) }

// stop ends the collector. Stopping again does nothing.
func (t *target) stop() {
	if t.process != nil {
		t.process.stop()
	}
	if t.feed != nil {
		_ = t.feed.close()
	}
	if t.sink != nil {
		_ = t.sink.close()
	}
	_ = os.RemoveAll(t.state)
}

// failed stops the collector and adds to an error what it has said.
func (t *target) failed(err error) error {
	t.stop()
	return fmt.Errorf("%w\n%s%s", err, t.Log(), t.ProcessState)
}
