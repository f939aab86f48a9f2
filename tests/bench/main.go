package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"strings"
	"syscall"
	"time"
)

const (
	quickRounds = 9
	fullRounds  = 11
)

func main() {
	var b bench
	flag.StringVar(&b.binary, "binary", "./otelcol-tc", "the collector")
	flag.StringVar(&b.signals, "signals", "metrics,traces,logs", "the signals to send")
	flag.BoolVar(&b.full, "full", false, fmt.Sprintf("%d rounds instead of %d, and Go's default GC as well", fullRounds, quickRounds))
	flag.IntVar(&b.rounds, "rounds", 0, "how many slices each target gets; 0 leaves it to --full")
	flag.BoolVar(&b.strict, "strict", false, "fail when a median ratio to pass-through is above what the pipeline may cost")
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
	binary, signals string
	full            bool
	rounds          int
	strict          bool
}

func (b *bench) run(ctx context.Context) error {
	if _, err := os.Stat(b.binary); err != nil {
		return fmt.Errorf("--binary: %w: run make build", err)
	}
	if b.rounds < 0 {
		return fmt.Errorf("--rounds: must not be negative (got %d)", b.rounds)
	}
	loads, err := b.loads(ctx)
	if err != nil {
		return err
	}
	rounds, settings := quickRounds, []garbage{equalRoom}
	if b.full {
		rounds, settings = fullRounds, append(settings, byDefault)
	}
	if b.rounds > 0 {
		rounds = b.rounds
	}

	fmt.Printf("%s, %d CPUs, %s; %d rounds of %s after %s of warm-up, requests of %d items on %d connections\n",
		time.Now().Format(time.DateTime), runtime.NumCPU(), b.binary, rounds, measured, warmUp, itemsPerRequest, connections)
	var all []*comparison
	for _, gc := range settings {
		fmt.Printf("\n%s\n\n%s", gc.name, tableHead)
		for _, l := range loads {
			c, err := compare(ctx, b.binary, rounds, gc, l)
			if err != nil {
				return cmp.Or(ctx.Err(), err)
			}
			c.rows(os.Stdout)
			all = append(all, c)
		}
	}
	repeated, left := disturbances(all)
	fmt.Printf("\nOther processes disturbed %d slices, which were repeated, and %d that count.\n", repeated, left)
	if b.strict {
		return tooExpensive(all)
	}
	return nil
}

// loads are items with few and with many attributes, of each signal, as the systems
// send them and as they are once they follow the convention.
func (b *bench) loads(ctx context.Context) ([]load, error) {
	var all []load
	for signal := range strings.SplitSeq(b.signals, ",") {
		for _, attributes := range []int{5, 10} {
			l, err := newLoad(signal, attributes)
			if err != nil {
				return nil, err
			}
			named, err := l.conformant(ctx)
			if err != nil {
				return nil, err
			}
			all = append(all, l, named)
		}
	}
	return all, nil
}
