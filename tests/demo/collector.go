// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/otelcol-tc/otelcol-tc/tests/loopback"
)

// collector is a running otelcol-tc on ports of its own, so that the demo works
// beside whatever else the machine runs.
type collector struct {
	otlp    string // where it receives OTLP over gRPC
	logFile string // where its own log goes
	// stop ends the collector in order, so that it flushes what it holds. To stop again does nothing.
	stop func() error
}

// startCollector starts a collector that scrapes pages.
func startCollector(ctx context.Context, binary, data, logs string, pages []string) (*collector, error) {
	addresses, err := loopback.FreeAddresses(6)
	if err != nil {
		return nil, err
	}
	c := &collector{otlp: addresses[0], logFile: filepath.Join(data, "collector.log")}
	_, telemetryPort, err := net.SplitHostPort(addresses[5])
	if err != nil {
		return nil, err
	}
	log, err := os.Create(c.logFile)
	if err != nil {
		return nil, err
	}
	defer log.Close() // the process has its own handle
	ctx, end := context.WithCancel(ctx)
	command := exec.CommandContext(ctx, binary, "--config", "builtin:dev")
	command.Cancel = func() error { return command.Process.Signal(syscall.SIGTERM) }
	command.WaitDelay = 10 * time.Second
	command.Stderr = log
	command.Env = append(os.Environ(),
		"OTELCOL_TC_DATA="+data,
		"OTELCOL_TC_OTLP_GRPC_ENDPOINT="+c.otlp,
		"OTELCOL_TC_SCRAPE_TARGETS=["+strings.Join(pages, ",")+"]",
		"OTELCOL_TC_SCRAPE_INTERVAL=1s",
		"OTELCOL_TC_LOG_FILES=["+logs+"/*.log]",
		"OTELCOL_TC_OTLP_HTTP_ENDPOINT="+addresses[1],
		"OTELCOL_TC_PROMETHEUS_ENDPOINT="+addresses[2],
		"OTELCOL_TC_HEALTH_ENDPOINT="+addresses[3],
		"OTELCOL_TC_PAGE_ENDPOINT="+addresses[4],
		"OTELCOL_TC_TELEMETRY_PORT="+telemetryPort,
	)
	if err := command.Start(); err != nil {
		end()
		return nil, err
	}
	exited := make(chan struct{})
	go func() {
		defer end()
		defer close(exited)
		_ = command.Wait() // stop reads the process state
	}()
	c.stop = func() error {
		end()
		<-exited
		if command.ProcessState.Success() {
			return nil
		}
		return fmt.Errorf("the collector ended with %s; see %s", command.ProcessState, c.logFile)
	}
	if err := waitHealthy(ctx, addresses[3]); err != nil {
		_ = c.stop() // its log says why
		return nil, fmt.Errorf("the collector is not healthy: %w; see %s", err, c.logFile)
	}
	return c, nil
}

// waitHealthy waits until the collector answers. The context is done when it has ended.
func waitHealthy(ctx context.Context, endpoint string) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	for ctx.Err() == nil {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+endpoint, http.NoBody)
		if err != nil {
			return err
		}
		if response, err := http.DefaultClient.Do(request); err == nil {
			response.Body.Close()
			if response.StatusCode == http.StatusOK {
				return nil
			}
		}
		time.Sleep(20 * time.Millisecond)
	}
	return ctx.Err()
}
