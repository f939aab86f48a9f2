// SPDX-License-Identifier: Apache-2.0

// Command tcdemo runs the collector with builtin:dev, sends it what the four
// systems and an inference engine send, and shows what the collector did to it.
// It is `make demo`.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"
)

func main() {
	var d demo
	flag.StringVar(&d.binary, "binary", "./otelcol-tc", "the collector")
	flag.StringVar(&d.tcgen, "tcgen", "./tcgen", "the generator")
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
const systems = "tensorcast,tuft,pytango,fastdeploy," + engine

type demo struct {
	binary, tcgen, data string
	duration            time.Duration
}

func (d *demo) run(ctx context.Context) error {
	logs := filepath.Join(d.data, "runtime-logs")
	summaryFile := filepath.Join(d.data, "sent.json")
	metricsFile := filepath.Join(d.data, "sent-metrics.json")
	logsFile := filepath.Join(d.data, "sent-logs.json")
	pairsFile := filepath.Join(d.data, "sent-pairs.json")
	for _, old := range []string{logs, summaryFile, metricsFile, logsFile, pairsFile} {
		if err := os.RemoveAll(old); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(logs, 0o755); err != nil {
		return err
	}

	c, err := startCollector(ctx, d.binary, d.data, logs)
	if err != nil {
		return err
	}
	defer c.kill()
	fmt.Printf("started %s --config builtin:dev in %s (OTLP on %s, its log in %s)\n",
		d.binary, c.ready.Round(time.Millisecond), c.otlp, c.logFile)

	fmt.Printf("sending for %s what TensorCast, TuFT, PyTango, FastDeploy and vLLM send …\n", d.duration)
	send := exec.CommandContext(ctx, d.tcgen, "--systems", systems, "--endpoint", c.otlp, "--duration", d.duration.String(),
		"--rate", "4", "--prometheus-listen", c.scrapeTarget, "--log-dir", logs, "--summary", summaryFile,
		"--sent-metrics", metricsFile, "--sent-logs", logsFile, "--sent-pairs", pairsFile)
	if text, err := send.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", d.tcgen, err, text)
	}
	sent, err := readSummary(summaryFile)
	if err != nil {
		return err
	}

	// Text files are polled, so their last entries arrive after tcgen has ended.
	if err := waitForEntries(ctx, filepath.Join(d.data, "logs.json"), sent); err != nil {
		return err
	}
	if err := c.stop(); err != nil {
		return err
	}
	got, err := readOutput(d.data, c.targets())
	if err != nil {
		return err
	}
	pushed := newOutput()
	if err := eachLine(metricsFile, pushed.metrics); err != nil {
		return err
	}
	logged, err := readTruth(logsFile)
	if err != nil {
		return err
	}
	paired, err := readPairs(pairsFile)
	if err != nil {
		return err
	}
	scored := scores{}
	if err := eachLine(filepath.Join(d.data, "scores.json"), scored.read); err != nil {
		return err
	}
	r := reporter{out: os.Stdout, sent: sent, pushed: pushed, logged: logged, paired: paired, got: got, scored: scored, since: c.began}
	return r.report(d.data)
}

// sentItems is what tcgen sent for one system.
type sentItems struct {
	Spans      int `json:"spans"`
	LogEvents  int `json:"log_events"`
	LogEntries int `json:"log_entries"`
	// Of the last page that the collector scraped.
	ScrapeSeries   int      `json:"scrape_series"`
	ScrapeFamilies []string `json:"scrape_families"`
}

func readSummary(file string) (map[string]sentItems, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var s struct{ Systems map[string]sentItems }
	if err := json.Unmarshal(text, &s); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if len(s.Systems) == 0 {
		return nil, fmt.Errorf("%s: %w", file, errors.New("nothing was sent"))
	}
	return s.Systems, nil
}
