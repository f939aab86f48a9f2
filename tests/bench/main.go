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
	flag.StringVar(&b.signals, "signals", "metrics,traces,links,logs,conformance,files", "the signals to send, and files of lines; or profiles, alone")
	flag.BoolVar(&b.full, "full", false, fmt.Sprintf("%d rounds instead of %d, and Go's default GC as well", fullRounds, quickRounds))
	flag.IntVar(&b.rounds, "rounds", 0, "how many slices each target gets; 0 leaves it to --full")
	flag.BoolVar(&b.strict, "strict", false, "fail when a pipeline costs more than it may")
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
	rounds, settings := quickRounds, []garbage{equalRoom}
	if b.full {
		rounds, settings = fullRounds, append(settings, byDefault)
	}
	if b.rounds > 0 {
		rounds = b.rounds
	}
	if b.signals == "profiles" {
		return measureProfiles(ctx, b.binary, rounds)
	}
	loads, err := b.loads(ctx)
	if err != nil {
		return err
	}

	fmt.Printf("%s, %d CPUs, %s; %d rounds of %s after %s of warm-up, requests of %d items on %d connections; files of %d lines\n",
		time.Now().Format(time.DateTime), runtime.NumCPU(), b.binary, rounds, measured, warmUp, itemsPerRequest, connections, linesPerFile)
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

// loads are what each signal has to offer.
func (b *bench) loads(ctx context.Context) ([]load, error) {
	var all []load
	for signal := range strings.SplitSeq(b.signals, ",") {
		if signal == "files" {
			all = append(all, newLineLoad(linesPerFile))
			continue
		}
		for _, attributes := range []int{5, 10} {
			some, err := loadsOf(ctx, signal, attributes)
			if err != nil {
				return nil, err
			}
			all = append(all, some...)
		}
	}
	return all, nil
}

// loadsOf are items as the systems send them and as they are once they follow the
// convention, log records whose ids have yet to be found, spans that belong together,
// and whole traces.
func loadsOf(ctx context.Context, signal string, attributes int) ([]load, error) {
	switch signal {
	case "links":
		return linkLoads(attributes)
	case "conformance":
		return judgedLoads(attributes)
	}
	l, err := newLoad(signal, attributes)
	if err != nil {
		return nil, err
	}
	named, err := l.conformant(ctx)
	if err != nil || signal != "logs" {
		return []load{l, named}, err
	}
	inAttributes, err := newLogLoad(attributes, idsInAttributes)
	if err != nil {
		return nil, err
	}
	inText, err := newLogLoad(attributes, idsInText)
	return []load{l, named, inAttributes, inText}, err
}
