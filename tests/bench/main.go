// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"
)

func main() {
	b := bench{binaries: binaries{}}
	flag.Func("binary", "ours as it is shipped (default ./otelcol-tc)", b.at(shipped, "./otelcol-tc"))
	flag.Func("stock", "the stock collector of peers/ (default .tools/stock)", b.at(stock, ".tools/stock"))
	flag.Func("rotel", "the collector in Rust (default .tools/rotel)", b.at(rotel, ".tools/rotel"))
	flag.Func("against", "another build of ours: compare the profiles of both, in turn, and nothing else", b.at(base, ""))
	flag.StringVar(&b.suite, "suite", "unowned", "what to measure: unowned, profiles, latency, memory, stages")
	flag.StringVar(&b.signals, "signals", "metrics,traces,logs", "the signals to send")
	flag.BoolVar(&b.full, "full", false, "longer slices, and more of them")
	flag.DurationVar(&b.slice, "slice", 0, "the length of a slice, a third of it warm-up; 0 leaves it to --full")
	flag.IntVar(&b.rounds, "rounds", 0, "how many slices each target gets; 0 leaves it to --full")
	flag.StringVar(&b.profileTo, "profile-to", "", "compare nothing, and write a CPU profile of all pipelines of --binary there")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := b.run(ctx)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

type bench struct {
	binaries       binaries
	suite, signals string
	full           bool
	rounds         int
	slice          time.Duration
	profileTo      string
}

// at sets where a build is, and is what a flag does that says so.
func (b *bench) at(which build, path string) func(string) error {
	b.binaries[which] = path
	return func(value string) error {
		b.binaries[which] = value
		return nil
	}
}

// suites are what can be measured.
var suites = map[string]func(r runner, ctx context.Context, signals []string) error{
	"unowned":  runner.measureUnowned,
	"profiles": func(r runner, ctx context.Context, _ []string) error { return r.measureProfiles(ctx) },
	"memory":   func(r runner, ctx context.Context, signals []string) error { return r.measureMemory(ctx, signals) },
	"stages":   func(r runner, ctx context.Context, signals []string) error { return r.measureStages(ctx, signals) },
	"latency":  func(r runner, ctx context.Context, _ []string) error { return r.latencies(ctx, os.Stdout) },
}

// A run in full takes the slices that the limits are for; the quick one is for a look.
var (
	quick    = runner{rounds: 5, lengths: lengths{200 * time.Millisecond, 400 * time.Millisecond}}
	thorough = runner{rounds: 11, lengths: lengths{500 * time.Millisecond, 500 * time.Millisecond}}
)

func (b *bench) runner() (r runner, err error) {
	r = quick
	if b.full {
		r = thorough
	}
	if b.rounds < 0 {
		return r, fmt.Errorf("--rounds: must not be negative (got %d)", b.rounds)
	}
	if b.rounds > 0 {
		r.rounds = b.rounds
	}
	if b.slice < 0 {
		return r, fmt.Errorf("--slice: must not be negative (got %s)", b.slice)
	}
	if b.slice > 0 {
		r.lengths = lengths{b.slice / 3, b.slice - b.slice/3}
	}
	if b.suite == "memory" && b.slice == 0 {
		r.lengths = memoryLengths
	}
	if b.suite == "stages" && b.slice == 0 {
		r.lengths = stageLengths
	}
	r.binaries = b.binaries
	return r, nil
}

func (b *bench) run(ctx context.Context) error {
	r, err := b.runner()
	if err != nil {
		return err
	}
	if b.profileTo != "" {
		return r.profileTo(ctx, b.profileTo)
	}
	signals, err := signalsNamed(b.signals)
	if err != nil {
		return err
	}
	if b.binaries[base] != "" {
		return r.measureAgainst(ctx, os.Stdout, signals)
	}
	measure, ok := suites[b.suite]
	if !ok {
		return fmt.Errorf("--suite: must be unowned, profiles, latency, memory or stages (got %q)", b.suite)
	}
	fmt.Printf("%s\n\n", r)
	return measure(r, ctx, signals)
}

// String describes the comparisons: the machine, the rounds, and the load.
func (r runner) String() string {
	return fmt.Sprintf("%s; %s; %d rounds of slices of %s after %s of warm-up, requests of %d items on %d connections; files of %d lines",
		time.Now().Format(time.DateTime), thisMachine(), r.rounds, r.lengths.measured, r.lengths.warmUp, itemsPerRequest, connections, linesPerFile)
}
