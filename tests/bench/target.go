// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/otelcol-tc/otelcol-tc/tests/loopback"
)

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
	measure(ctx context.Context, p *process, l lengths) (slice, error)
	close() error
}

// target is a running collector and the load on it.
type target struct {
	*process
	feed      feed
	telemetry string // address of its own metrics
}

// startTarget runs a collector until ctx is done or stop is called.
func (b binaries) startTarget(ctx context.Context, p pipeline, l load) (*target, error) {
	addresses, err := loopback.FreeAddresses(2)
	if err != nil {
		return nil, err
	}
	data, telemetry := addresses[0], addresses[1]
	f, err := l.feed(data, telemetry)
	if err != nil {
		return nil, err
	}
	args, env := p.command()
	started, err := startProcess(ctx, b[p.build], args, append(f.env(), env...), telemetry)
	if err != nil {
		return nil, errors.Join(err, f.close())
	}
	t := &target{started, f, telemetry}
	if err := t.ready(ctx); err != nil {
		return nil, fmt.Errorf("start: %w", t.failed(err))
	}
	return t, nil
}

// ready waits for the collector, and no longer than it lives.
func (t *target) ready(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startDeadline)
	defer cancel()
	go func() {
		select {
		case <-t.exited:
			cancel()
		case <-ctx.Done():
		}
	}()
	return t.feed.ready(ctx)
}

func (t *target) measure(ctx context.Context, l lengths) (slice, error) {
	s, err := t.feed.measure(ctx, t.process, l)
	if err != nil {
		return slice{}, err
	}
	t.memory, err = memoryOf(t.pid)
	return s, err
}

// stop ends the collector. Stopping again does nothing.
func (t *target) stop() {
	_ = t.feed.close()
	t.process.stop()
}

// failed stops the collector and adds to an error what it has said.
func (t *target) failed(err error) error {
	t.stop()
	return fmt.Errorf("%w\n%s", err, t.log.Bytes())
}
