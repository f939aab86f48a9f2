// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/otelcol-tc/otelcol-tc/tests/loopback"
	"github.com/otelcol-tc/otelcol-tc/tests/program"
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
	command := exec.Command(binary, "--config", "builtin:dev")
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
	started, err := program.Start(command)
	if err != nil {
		return nil, errors.Join(err, log.Close())
	}
	ctx, end := context.WithCancel(ctx)
	go func() {
		<-started.Ended
		end()
	}()
	c.stop = func() error {
		_, err := started.Stop(10 * time.Second)
		_ = log.Close()
		if err == nil && !started.ProcessState.Success() {
			err = fmt.Errorf("the collector ended with %s; see %s", started.ProcessState, c.logFile)
		}
		return err
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
