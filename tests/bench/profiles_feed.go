// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// atRest is how often in a row a target has to do next to nothing until its queues are
// taken for empty: they wait for a batch to fill for as long as one pause.
const atRest = 3

// profileFeed gives a profile its load, a state directory, and a sink for all it sends.
type profileFeed struct {
	feed
	load  *profileLoad
	sink  *sink
	state string
	taken int64 // items, of slices and before
	extra []string
}

func newProfileFeed(l *profileLoad, data, telemetry string) (*profileFeed, error) {
	f, err := l.load.feed(data, telemetry)
	if err != nil {
		return nil, err
	}
	state, err := os.MkdirTemp("", "otelcol-tc-bench-")
	if err != nil {
		return nil, errors.Join(err, f.close())
	}
	s, err := newSink()
	if err != nil {
		return nil, errors.Join(err, f.close(), os.RemoveAll(state))
	}
	return &profileFeed{feed: f, load: l, sink: s, state: state, extra: profileEnv(data, telemetry, state, s)}, nil
}

func (f *profileFeed) env() []string {
	env := append(f.feed.env(), f.extra...)
	if w, ok := f.feed.(*writer); ok {
		env = append(env, fmt.Sprintf("OTELCOL_TC_LOG_FILES=[%q]", filepath.Join(w.dir, "*.log")))
	}
	return env
}

func (f *profileFeed) measure(ctx context.Context, p *process, l lengths) (slice, error) {
	if from, ok := f.feed.(*sender); ok {
		return f.send(ctx, p, from, l)
	}
	s, err := f.feed.measure(ctx, p, l)
	f.taken += s.items
	return s, err
}

// send sends for the length of a slice, which ends when the sink has all of it.
func (f *profileFeed) send(ctx context.Context, p *process, from *sender, l lengths) (slice, error) {
	begin, beginErr := p.read(from.accepted.Load)
	stop := from.start(ctx)
	wait(ctx, l.measured)
	err := stop()
	sending := time.Since(begin.at)
	err = errors.Join(beginErr, err, f.rest(ctx, p))
	wait(ctx, f.load.judged)
	end, endErr := p.read(from.accepted.Load)
	if err := errors.Join(err, ctx.Err(), endErr); err != nil {
		return slice{}, err
	}
	s := begin.until(end)
	s.sending = sending
	if s.items == 0 {
		return slice{}, errors.New("no request was answered in a slice")
	}
	s.items = s.items / itemsPerRequest * f.load.items
	f.taken += s.items
	return s, nil
}

// rest waits until the profile does next to nothing and the sink gets nothing.
func (f *profileFeed) rest(ctx context.Context, p *process) error {
	ctx, cancel := context.WithTimeout(ctx, readDeadline)
	defer cancel()
	for quiet := 0; quiet < atRest; {
		before := f.sink.bytes.Load()
		resting, err := p.rests(ctx)
		if err != nil {
			return err
		}
		if ctx.Err() != nil {
			return fmt.Errorf("the profile has not come to rest: %w", ctx.Err())
		}
		if resting && f.sink.bytes.Load() == before {
			quiet++
		} else {
			quiet = 0
		}
	}
	return nil
}

// bytesOut are what the sink got of each item.
func (f *profileFeed) bytesOut() float64 { return float64(f.sink.bytes.Load()) / float64(f.taken) }

func (f *profileFeed) close() error {
	return errors.Join(f.feed.close(), f.sink.close(), os.RemoveAll(f.state))
}
