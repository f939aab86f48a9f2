// SPDX-License-Identifier: Apache-2.0

// Command tcdemo runs the collector with builtin:dev, sends it what the four
// systems and an inference engine send, and shows what the collector did to it.
// It is `make demo`.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/otelcol-tc/otelcol-tc/cmd/tcgen/send"
)

func main() {
	var d demo
	flag.StringVar(&d.binary, "binary", "./otelcol-tc", "the collector")
	flag.StringVar(&d.data, "data", "./otelcol-tc-data", "directory for the output; what an earlier demo left in it is removed")
	flag.DurationVar(&d.duration, "duration", 5*time.Second, "how long to send")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := d.run(ctx)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "tcdemo:", err)
		os.Exit(1)
	}
}

// engine is the system whose names the world knows, and that keeps them.
const engine = "vllm"

// systems are those that tcgen imitates.
var systems = []string{"tensorcast", "tuft", "pytango", "fastdeploy", engine}

type demo struct {
	binary, data string
	duration     time.Duration
}

func (d *demo) run(ctx context.Context) error {
	logs := filepath.Join(d.data, "runtime-logs")
	if err := os.RemoveAll(logs); err != nil {
		return err
	}
	if err := os.MkdirAll(logs, 0o755); err != nil {
		return err
	}
	began := time.Now()
	c, err := startCollector(ctx, d.binary, d.data, logs)
	if err != nil {
		return err
	}
	defer func() { _ = c.stop() }()
	fmt.Printf("started %s --config builtin:dev in %s (OTLP on %s, its log in %s)\n",
		d.binary, time.Since(began).Round(time.Millisecond), c.otlp, c.logFile)

	fmt.Printf("sending for %s what TensorCast, TuFT, PyTango, FastDeploy and vLLM send …\n", d.duration)
	in := newSent()
	in.counts, err = send.Run(ctx, send.Options{
		Systems: systems, Endpoint: c.otlp, Rate: 4, Duration: d.duration, Seed: 1, Pages: strings.Join(c.pages, ","), LogDir: logs, Sent: in.add,
	})
	if err != nil {
		return err
	}
	// Text files are polled, so their last entries arrive after all is sent.
	if err := waitForLogs(ctx, filepath.Join(d.data, "logs.json"), in.logs()); err != nil {
		return err
	}
	if err := c.stop(); err != nil {
		return err
	}
	out, err := readOutput(d.data, c.targets())
	if err != nil {
		return err
	}
	r := reporter{to: os.Stdout, sent: in, out: out, since: began}
	if err := r.report(); err != nil {
		return err
	}
	fmt.Printf("\nFiles in %s: traces.json, metrics.json, logs.json, span_metrics.json, scores.json, findings.json\n", d.data)
	return nil
}
