// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"
)

const (
	// paced is how long a profile is watched at rest, and with little to do.
	paced = 30 * time.Second
	// startUp is the time after which a profile that has started is at rest.
	startUp = 10 * time.Second
)

// paceProfiles has each profile do nothing, and then a little: a request of each signal a
// second. What that costs more than the items by themselves is the price of many small
// batches instead of few large ones.
func paceProfiles(ctx context.Context, w io.Writer, binaries binaries, loads []*profileLoad, all []*comparison) error {
	fmt.Fprintf(w, "\n| profile | at rest: CPU of a core | RSS MiB | a request of each signal a second: CPU of a core | by the items alone | RSS MiB |\n| --- | ---: | ---: | ---: | ---: | ---: |\n")
	for _, profile := range []pipeline{agentAtWork, gatewayProfile} {
		var its []*profileLoad
		var items float64
		for i, l := range loads {
			if l.items > 0 && l.profile.name == profile.name {
				its = append(its, l)
				items += all[i].each(len(l.beside), slice.cpuPerItem).median * float64(l.items) / float64(time.Second)
			}
		}
		rest, little, err := pace(ctx, binaries, profile, its)
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "| %s | %.4f | %d | %.4f | %.4f | %d |\n", profile.name, rest.cpu, rest.resident>>20, little.cpu, items, little.resident>>20)
	}
	return nil
}

// pacing is what a profile took over some time.
type pacing struct {
	cpu      float64 // of a core
	resident int64   // bytes, at the end
}

func pace(ctx context.Context, binaries binaries, profile pipeline, loads []*profileLoad) (rest, little pacing, err error) {
	var f *profileFeed
	t, err := binaries.startTarget(ctx, profile, feedOnly{loads[0], &f})
	if err != nil {
		return rest, little, err
	}
	defer t.stop()
	var senders []*sender
	for _, l := range loads {
		s, err := newSender(f.feed.(*sender).endpoint, l.load.(otlpLoad))
		if err != nil {
			return rest, little, err
		}
		defer func() { _ = s.close() }()
		senders = append(senders, s)
	}
	wait(ctx, startUp)
	if rest, err = watch(ctx, t.process, nil); err == nil {
		little, err = watch(ctx, t.process, senders)
	}
	if err != nil {
		err = t.failed(err)
	}
	return rest, little, err
}

// watch has the senders send a request a second for a while. It watches once more when
// other processes were busy, and no more often.
func watch(ctx context.Context, p *process, senders []*sender) (pacing, error) {
	for attempt := 0; ; attempt++ {
		begin, beginErr := p.read(func() int64 { return 0 })
		var errs []error
		for tick := time.Now(); time.Since(begin.at) < paced; {
			for _, s := range senders {
				errs = append(errs, s.send(ctx, 0))
			}
			tick = tick.Add(time.Second)
			wait(ctx, time.Until(tick))
		}
		end, endErr := p.read(func() int64 { return 0 })
		m, err := memoryOf(p.pid)
		if err := errors.Join(append(errs, beginErr, endErr, err, ctx.Err())...); err != nil {
			return pacing{}, err
		}
		if s := begin.until(end); !s.disturbed() || attempt == 1 {
			return pacing{cpu: s.cpu.Seconds() / s.wall.Seconds(), resident: m.now}, nil
		}
	}
}
