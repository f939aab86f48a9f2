// SPDX-License-Identifier: Apache-2.0

// Command tcgen sends what TensorCast, TuFT, PyTango and FastDeploy really send,
// faults included, and what engines, exporters and instrumentations around them send:
// traces, metrics and logs over OTLP gRPC, a Prometheus endpoint, and text log files.
// It ends by itself after --duration.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/otelcol-tc/otelcol-tc/cmd/tcgen/scenario"
)

func main() {
	opts, err := parseFlags(os.Args[1:], os.Stderr)
	if errors.Is(err, flag.ErrHelp) {
		return
	}
	if err == nil {
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
		err = generate(ctx, opts, os.Stderr)
		stop()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "tcgen:", err)
		os.Exit(1)
	}
}

// options are the flags.
type options struct {
	systems          []string
	endpoint         string
	rate             float64
	duration         time.Duration
	seed             uint64
	prometheusListen string
	logDir           string
	summaryFile      string
	sentMetrics      string
	sentLogs         string
	sentPairs        string
}

func parseFlags(args []string, out io.Writer) (options, error) {
	var o options
	var systems string
	f := flag.NewFlagSet("tcgen", flag.ContinueOnError)
	f.SetOutput(out)
	f.StringVar(&systems, "systems", strings.Join(scenario.Names(), ","), "comma-separated systems to imitate, of "+strings.Join(knownSystems(), ", "))
	f.StringVar(&o.endpoint, "endpoint", "127.0.0.1:4317", "OTLP gRPC endpoint, plaintext")
	f.Float64Var(&o.rate, "rate", 1, "scenarios per second and system, at most")
	f.DurationVar(&o.duration, "duration", 10*time.Second, "when to end")
	f.Uint64Var(&o.seed, "seed", 1, "the same seed sends the same data, apart from the time")
	f.StringVar(&o.prometheusListen, "prometheus-listen", "", "host:port to serve the scraped metrics on, at /metrics; or one for each scraped system, separated by commas")
	f.StringVar(&o.logDir, "log-dir", "", "directory to append the text log files in")
	f.StringVar(&o.summaryFile, "summary", "", "file to write a JSON summary to")
	f.StringVar(&o.sentMetrics, "sent-metrics", "", "file to write the metrics sent over OTLP to, as JSON lines")
	f.StringVar(&o.sentLogs, "sent-logs", "", "file to write the truth about log records and text log entries to, as JSON lines")
	f.StringVar(&o.sentPairs, "sent-pairs", "", "file to write the spans of different traces that belong together to, as JSON lines")
	if err := f.Parse(args); err != nil {
		return o, err
	}
	o.systems = strings.Split(systems, ",")
	return o, o.validate(f.Args())
}

func (o options) validate(rest []string) error {
	if len(rest) > 0 {
		return fmt.Errorf("unexpected argument %q", rest[0])
	}
	for i, s := range o.systems {
		if !slices.Contains(knownSystems(), s) {
			return fmt.Errorf("--systems: unknown system %q: must be one of %s", s, strings.Join(knownSystems(), ", "))
		}
		if slices.Contains(o.systems[:i], s) {
			return fmt.Errorf("--systems: %q is named twice", s)
		}
	}
	if !(o.rate > 0 && o.rate <= maxRate) {
		return fmt.Errorf("--rate must be above 0 and at most %d (got %v)", maxRate, o.rate)
	}
	if o.duration <= 0 {
		return fmt.Errorf("--duration must be positive (got %s)", o.duration)
	}
	return nil
}

// knownSystems lists all systems that can be imitated.
func knownSystems() []string { return slices.Concat(scenario.Names(), scenario.KeptNames()) }

// maxRate keeps the interval between scenarios well above a clock tick.
const maxRate = 10000
