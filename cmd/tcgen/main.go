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
	"text/tabwriter"
	"time"

	"github.com/otelcol-tc/otelcol-tc/cmd/tcgen/scenario"
	"github.com/otelcol-tc/otelcol-tc/cmd/tcgen/send"
)

func main() {
	opts, err := parseFlags(os.Args[1:], os.Stderr)
	if errors.Is(err, flag.ErrHelp) {
		return
	}
	if err == nil {
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
		err = run(ctx, opts, os.Stderr)
		stop()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "tcgen:", err)
		os.Exit(1)
	}
}

// run sends, and prints a table of what was sent in any case.
func run(ctx context.Context, opts send.Options, out io.Writer) error {
	counts, err := send.Run(ctx, opts)
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "system\tscenarios\tspans\tmetric points\tlog records\tlog lines\tscrape series\t")
	for _, name := range opts.Systems {
		c := counts[name]
		fmt.Fprintf(table, "%s\t%d\t%d\t%d\t%d\t%d\t%d\t\n",
			name, c.Scenarios, c.Spans, c.MetricPoints, c.LogRecords, c.LogLines, c.ScrapeSeries)
	}
	return errors.Join(err, table.Flush())
}

func parseFlags(args []string, out io.Writer) (send.Options, error) {
	var o send.Options
	var systems string
	f := flag.NewFlagSet("tcgen", flag.ContinueOnError)
	f.SetOutput(out)
	f.StringVar(&systems, "systems", strings.Join(scenario.Names(), ","), "comma-separated systems to imitate, of "+strings.Join(knownSystems(), ", "))
	f.StringVar(&o.Endpoint, "endpoint", "127.0.0.1:4317", "OTLP gRPC endpoint, plaintext")
	f.Float64Var(&o.Rate, "rate", 1, "scenarios per second and system, at most")
	f.DurationVar(&o.Duration, "duration", 10*time.Second, "when to end")
	f.Uint64Var(&o.Seed, "seed", 1, "the same seed sends the same data, apart from the time")
	f.StringVar(&o.Pages, "prometheus-listen", "", "host:port to serve the scraped metrics on, at /metrics; or one for each scraped system, separated by commas")
	f.StringVar(&o.LogDir, "log-dir", "", "directory to append the text log files in")
	if err := f.Parse(args); err != nil {
		return o, err
	}
	o.Systems = strings.Split(systems, ",")
	return o, validate(o, f.Args())
}

func validate(o send.Options, rest []string) error {
	if len(rest) > 0 {
		return fmt.Errorf("unexpected argument %q", rest[0])
	}
	for i, s := range o.Systems {
		if !slices.Contains(knownSystems(), s) {
			return fmt.Errorf("--systems: unknown system %q: must be one of %s", s, strings.Join(knownSystems(), ", "))
		}
		if slices.Contains(o.Systems[:i], s) {
			return fmt.Errorf("--systems: %q is named twice", s)
		}
	}
	if !(o.Rate > 0 && o.Rate <= maxRate) {
		return fmt.Errorf("--rate must be above 0 and at most %d (got %v)", maxRate, o.Rate)
	}
	if o.Duration <= 0 {
		return fmt.Errorf("--duration must be positive (got %s)", o.Duration)
	}
	return nil
}

// knownSystems lists all systems that can be imitated.
func knownSystems() []string { return slices.Concat(scenario.Names(), scenario.KeptNames()) }

// maxRate keeps the interval between scenarios well above a clock tick.
const maxRate = 10000
