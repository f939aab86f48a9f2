// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

const (
	// littleRate is how many requests a second a profile gets when it has little to do: 2,048 items.
	littleRate = 4
	// startUp is the time after which a profile that has started is at rest.
	startUp = 10 * time.Second
	// memoryReturns is how long after the load memory is to be given back.
	memoryReturns = time.Minute
)

// memoryLengths are how long memory is watched.
var memoryLengths = lengths{10 * time.Second, 30 * time.Second}

// memoryPhase is what a profile has to do, and the anonymous memory that it may take meanwhile, in MiB.
type memoryPhase struct {
	name  string
	limit int64
	// width is the number of connections that send as fast as they are answered. Without any, nothing is sent, or
	// littleRate requests a second.
	width int
	rate  int
}

var (
	memoryAtRest = memoryPhase{name: "at rest", limit: 30}
	memoryLittle = memoryPhase{name: fmt.Sprintf("%d items/s", littleRate*itemsPerRequest), limit: 50, width: 1, rate: littleRate}
	memoryFull   = memoryPhase{name: "full speed", limit: 110, width: connections}
	memoryTwice  = memoryPhase{name: "twice the connections", limit: 115, width: 2 * connections}
	memoryLater  = memoryPhase{name: "a minute later", limit: 50}
)

const memoryHead = `| profile | load | RssAnon MiB | highest | alive MiB | CPU of a core | collections a second | of a core | of its CPU | items/s | CPU µs an item |
| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
`

// measureMemory says what memory the profiles take at rest, with little to do, at full speed, when twice that is
// offered, and a minute later, and what they and the collection of garbage take of a core meanwhile.
func (r runner) measureMemory(ctx context.Context, signals []string) error {
	fmt.Print(memoryHead)
	return r.watchProfiles(ctx, signals, func(_ memoryPhase, name string, m memoryUse) { m.row(name) })
}

// watchProfiles runs agent and gateway through all phases, and reports each by its name.
func (r runner) watchProfiles(ctx context.Context, signals []string, report func(memoryPhase, string, memoryUse)) error {
	return eachProfile(ctx, signals, func(profile pipeline, loads []*profileLoad) error {
		return r.watchProfile(ctx, profile, loads, report)
	})
}

// eachProfile calls run with agent and gateway, and the loads of each.
func eachProfile(ctx context.Context, signals []string, run func(pipeline, []*profileLoad) error) error {
	loads, err := profileLoads(ctx)
	if err != nil {
		return err
	}
	for _, profile := range []pipeline{agentAtWork, gatewayProfile} {
		its := slices.DeleteFunc(slices.Clone(loads), func(l *profileLoad) bool {
			_, ok := l.requests()
			return !ok || l.profile.name != profile.name || !l.isOf(signals)
		})
		if err := run(profile, its); err != nil {
			return err
		}
	}
	return nil
}

func (r runner) watchProfile(ctx context.Context, profile pipeline, loads []*profileLoad, report func(memoryPhase, string, memoryUse)) error {
	profile.env = append(profile.env, "GODEBUG=gctrace=1")
	t, err := r.binaries.startTarget(ctx, profile, loads[0])
	if err != nil {
		return err
	}
	defer t.stop()
	run := func(p memoryPhase, what string, loads ...*profileLoad) error {
		var m memoryUse
		err := p.during(ctx, t, loads, r.lengths.warmUp, func(senders []*sender) (err error) {
			m, err = t.watchMemory(ctx, senders, r.lengths.measured)
			return err
		})
		if err != nil {
			return err
		}
		report(p, fmt.Sprintf("%s | %s%s", profile.name, what, p.name), m)
		return nil
	}
	wait(ctx, startUp)
	if err := run(memoryAtRest, ""); err != nil {
		return err
	}
	if err := run(memoryLittle, "", loads...); err != nil {
		return err
	}
	for _, l := range loads {
		for _, p := range []memoryPhase{memoryFull, memoryTwice} {
			if err := run(p, fmt.Sprint(l, ", "), l); err != nil {
				return err
			}
		}
	}
	wait(ctx, memoryReturns-r.lengths.warmUp-r.lengths.measured/2)
	return run(memoryLater, "")
}

// during gives a target what it has to do in a phase, and has it watched after the warm-up.
func (p memoryPhase) during(ctx context.Context, t *target, loads []*profileLoad, warmUp time.Duration, watch func([]*sender) error) error {
	var senders []*sender
	for _, l := range loads {
		requests, _ := l.requests()
		s, err := newWideSender(t.data, requests, p.width)
		if err != nil {
			return err
		}
		defer func() { _ = s.close() }()
		senders = append(senders, s)
	}
	stop := func() error { return nil }
	if p.rate > 0 {
		stop = startPaced(ctx, senders, p.rate)
	} else if p.width > 0 {
		stop = senders[0].start(ctx)
	}
	wait(ctx, warmUp)
	err := watch(senders)
	if err := errors.Join(err, stop()); err != nil {
		return t.failed(fmt.Errorf("%s: %w", p.name, err))
	}
	return nil
}

// accepted are the items that all senders together have sent.
func accepted(senders []*sender) (sum int64) {
	for _, s := range senders {
		sum += s.accepted.Load()
	}
	return sum
}

// startPaced sends requests at a rate, by the senders in turn, until stop is called.
func startPaced(ctx context.Context, senders []*sender, rate int) (stop func() error) {
	stopped, ended := make(chan struct{}), make(chan error)
	go func() {
		ticks := time.NewTicker(time.Second / time.Duration(rate))
		defer ticks.Stop()
		var err error
		for n := 0; ; n++ {
			select {
			case <-stopped:
				ended <- err
				return
			case <-ticks.C:
				err = cmp.Or(err, senders[n%len(senders)].send(ctx, 0))
			}
		}
	}()
	return func() error { close(stopped); return <-ended }
}

// memoryUse is what a profile took over some time.
type memoryUse struct {
	resident []int64 // anonymous, in order
	slice
	garbage collections
}

// median is of the anonymous memory, in MiB.
func (m memoryUse) median() int64 { return m.resident[len(m.resident)/2] >> 20 }

func (m memoryUse) row(name string) {
	perItem := ""
	if m.items > 0 {
		perItem = fmt.Sprintf("%.2f", m.cpuPerItem()/1000)
	}
	fmt.Printf("| %s | %d | %d | %d | %.4f | %.2f | %.3f | %.3f | %.0f | %s |\n", name,
		m.median(), m.resident[len(m.resident)-1]>>20, m.garbage.alive, m.cpu.Seconds()/m.wall.Seconds(), float64(m.garbage.number)/m.wall.Seconds(),
		m.garbage.cpu.Seconds()/m.wall.Seconds(), m.garbage.cpu.Seconds()/m.cpu.Seconds(), m.itemsPerSecond(), perItem)
}

// watchMemory reads the memory of a target ten times a second.
func (t *target) watchMemory(ctx context.Context, senders []*sender, period time.Duration) (m memoryUse, err error) {
	items := func() int64 { return accepted(senders) }
	garbage := t.garbage.sum()
	begin, err := t.read(items)
	for err == nil && time.Since(begin.at) < period {
		wait(ctx, 100*time.Millisecond)
		var anonymous int64
		anonymous, err = numberIn(fmt.Sprintf("/proc/%d/status", t.pid), "RssAnon")
		m.resident = append(m.resident, anonymous)
	}
	end, endErr := t.read(items)
	slices.Sort(m.resident)
	m.slice, m.garbage = begin.until(end), t.garbage.sum().since(garbage)
	return m, errors.Join(err, endErr, ctx.Err())
}

// collections are what Go's collector did.
type collections struct {
	number int
	cpu    time.Duration
	alive  int // MiB after the last one
}

func (c collections) since(before collections) collections {
	return collections{c.number - before.number, c.cpu - before.cpu, c.alive}
}

// gcTrace adds up what Go's runtime writes with GODEBUG=gctrace=1. It is safe for concurrent use.
type gcTrace struct {
	mu   sync.Mutex
	line []byte
	all  collections
}

func (g *gcTrace) sum() collections {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.all
}

func (g *gcTrace) Write(p []byte) (int, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.line = append(g.line, p...)
	for {
		line, rest, found := strings.Cut(string(g.line), "\n")
		if !found {
			return len(p), nil
		}
		g.line = []byte(rest)
		g.add(line)
	}
}

// add reads a line as "gc 7 @1.2s 0%: 0.02+3.1+0.04 ms clock, 0.05+0.1/2.9/0.3+0.09 ms cpu, 30->31->15 MB, …".
func (g *gcTrace) add(line string) {
	_, after, isTrace := strings.Cut(line, " ms clock, ")
	times, after, _ := strings.Cut(after, " ms cpu, ")
	if !isTrace || !strings.HasPrefix(line, "gc ") {
		return
	}
	g.all.number++
	for _, text := range strings.FieldsFunc(times, func(r rune) bool { return r == '+' || r == '/' }) {
		d, _ := time.ParseDuration(text + "ms")
		g.all.cpu += d
	}
	var before, atEnd int
	_, _ = fmt.Sscanf(after, "%d->%d->%d MB", &before, &atEnd, &g.all.alive)
}
