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
	flag.DurationVar(&b.slice, "slice", 0, "the length of a slice, or of what takes its place in the suite; 0 leaves it to the suite")
	flag.IntVar(&b.rounds, "rounds", 5, "how many slices each target gets")
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

// suite is what can be measured.
type suite struct {
	lengths lengths
	measure func(r runner, ctx context.Context, signals []string) error
}

var suites = map[string]suite{
	"unowned":  {sliceLengths, runner.measureUnowned},
	"profiles": {sliceLengths, func(r runner, ctx context.Context, _ []string) error { return r.measureProfiles(ctx) }},
	"memory":   {memoryLengths, runner.measureMemory},
	"stages":   {stageLengths, runner.measureStages},
	"latency":  {sliceLengths, func(r runner, ctx context.Context, _ []string) error { return r.latencies(ctx, os.Stdout) }},
}

// sliceLengths are of the slices of a comparison.
var sliceLengths = lengths{measured: 400 * time.Millisecond}

func (b *bench) run(ctx context.Context) error {
	s, ok := suites[b.suite]
	if !ok {
		return fmt.Errorf("--suite: must be unowned, profiles, latency, memory or stages (got %q)", b.suite)
	}
	if b.rounds < 1 {
		return fmt.Errorf("--rounds: must be positive (got %d)", b.rounds)
	}
	if b.slice < 0 {
		return fmt.Errorf("--slice: must not be negative (got %s)", b.slice)
	}
	r := runner{binaries: b.binaries, rounds: b.rounds, lengths: s.lengths}
	if b.slice > 0 {
		r.lengths.measured = b.slice
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
	fmt.Printf("%s\n\n", r)
	return s.measure(r, ctx, signals)
}

// String describes the comparisons: the machine, the rounds, and the load.
func (r runner) String() string {
	return fmt.Sprintf("%s; %s; %d rounds of slices of %s, requests of %d items on %d connections; files of %d lines",
		time.Now().Format(time.DateTime), thisMachine(), r.rounds, r.lengths.measured, itemsPerRequest, connections, linesPerFile)
}
