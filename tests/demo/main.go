// SPDX-License-Identifier: Apache-2.0

// Command demo runs the collector with builtin:dev, sends it what the four
// systems and an inference engine send, and shows what the collector did to it.
// It is `make demo`. With --endpoint it only sends, to a collector that runs.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/otelcol-tc/otelcol-tc/tests/tcgen/scenario"
)

// engine is the system whose names the world knows, and that keeps them.
const engine = "vllm"

// shown are the systems of the demo.
var shown = append(scenario.Names(), engine)

type demo struct {
	binary, data      string
	endpoint, systems string
	duration          time.Duration
}

func main() {
	var d demo
	all := strings.Join(slices.Concat(scenario.Names(), scenario.KeptNames()), ",")
	flag.StringVar(&d.binary, "binary", "./otelcol-tc", "the collector")
	flag.StringVar(&d.data, "data", "./otelcol-tc-data", "directory for the output; what an earlier demo left in it is removed")
	flag.DurationVar(&d.duration, "duration", 5*time.Second, "how long to send")
	flag.StringVar(&d.endpoint, "endpoint", "", "send to this OTLP gRPC endpoint, without TLS, and run no collector")
	flag.StringVar(&d.systems, "systems", strings.Join(shown, ","), "what sends with --endpoint, of "+all)
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := d.run(ctx)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "demo:", err)
		os.Exit(1)
	}
}

func (d *demo) run(ctx context.Context) error {
	logs := filepath.Join(d.data, "runtime-logs")
	if err := os.RemoveAll(logs); err != nil {
		return err
	}
	if err := os.MkdirAll(logs, 0o755); err != nil {
		return err
	}
	names := shown
	if d.endpoint != "" {
		names = strings.Split(d.systems, ",")
	}
	s, err := newSender(ctx, names, logs)
	if err != nil {
		return err
	}
	if d.endpoint != "" {
		return s.run(ctx, d.endpoint, d.duration)
	}
	began := time.Now()
	c, err := startCollector(ctx, d.binary, d.data, logs, s.pages)
	if err != nil {
		return err
	}
	defer func() { _ = c.stop() }()
	fmt.Printf("started %s --config builtin:dev in %s (OTLP on %s, its log in %s)\n",
		d.binary, time.Since(began).Round(time.Millisecond), c.otlp, c.logFile)

	fmt.Printf("sending for %s what TensorCast, TuFT, PyTango, FastDeploy and vLLM send …\n", d.duration)
	if err := s.run(ctx, c.otlp, d.duration); err != nil {
		return err
	}
	r := reporter{to: os.Stdout, systems: s.systems}
	// Text files are polled, so their last entries arrive after all is sent.
	if err := waitForLogs(ctx, filepath.Join(d.data, "logs.json"), r.logsIn()); err != nil {
		return err
	}
	if err := c.stop(); err != nil {
		return err
	}
	if r.out, err = readOutput(d.data, s.targets()); err != nil {
		return err
	}
	if err := r.report(); err != nil {
		return err
	}
	fmt.Printf("\nFiles in %s: traces.json, metrics.json, logs.json, span_metrics.json, scores.json, findings.json\n", d.data)
	return nil
}
