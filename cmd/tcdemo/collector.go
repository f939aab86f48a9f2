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
	"syscall"
	"time"

	"github.com/otelcol-tc/otelcol-tc/internal/loopback"
)

// scrapedSystems are those of systems that have a page, in their order.
var scrapedSystems = []string{"tensorcast", "fastdeploy", engine}

// collector is a running otelcol-tc on ports of its own, so that the demo works
// beside whatever else the machine runs.
type collector struct {
	command *exec.Cmd
	exited  chan struct{} // closed when the process has ended, with exitErr
	exitErr error
	otlp    string   // where it receives OTLP over gRPC
	pages   []string // what it scrapes: an address for each of scrapedSystems
	logFile string   // where its own log goes
	began   time.Time
	ready   time.Duration // from start to healthy
}

func startCollector(ctx context.Context, binary, data, logs string) (*collector, error) {
	ports, err := loopback.FreeAddresses(9)
	if err != nil {
		return nil, err
	}
	c := &collector{
		command: exec.CommandContext(ctx, binary, "--config", "builtin:dev"),
		exited:  make(chan struct{}),
		otlp:    ports[0],
		pages:   []string{ports[1], ports[7], ports[8]},
		logFile: filepath.Join(data, "collector.log"),
	}
	_, telemetryPort, err := net.SplitHostPort(ports[5])
	if err != nil {
		return nil, err
	}
	c.command.Env = append(os.Environ(),
		"OTELCOL_TC_DATA="+data,
		"OTELCOL_TC_OTLP_GRPC_ENDPOINT="+ports[0],
		"OTELCOL_TC_SCRAPE_TARGETS=["+strings.Join(c.pages, ",")+"]",
		"OTELCOL_TC_SCRAPE_INTERVAL=1s",
		"OTELCOL_TC_LOG_FILES=["+logs+"/*.log]",
		`OTELCOL_TC_LOG_PATHS=[{match: "fastdeploy_{service.instance.id}_trace.log"}, {match: "fastdeploy_{service.instance.id}.log"}]`,
		"OTELCOL_TC_OTLP_HTTP_ENDPOINT="+ports[2],
		"OTELCOL_TC_PROMETHEUS_ENDPOINT="+ports[3],
		"OTELCOL_TC_HEALTH_ENDPOINT="+ports[4],
		"OTELCOL_TC_PAGE_ENDPOINT="+ports[6],
		"OTELCOL_TC_TELEMETRY_PORT="+telemetryPort,
	)
	log, err := os.Create(c.logFile)
	if err != nil {
		return nil, err
	}
	defer log.Close() // the process has its own handle
	c.command.Stderr = log
	c.began = time.Now()
	if err := c.command.Start(); err != nil {
		return nil, err
	}
	go func() {
		defer close(c.exited)
		c.exitErr = c.command.Wait()
	}()
	if err := c.waitHealthy(ctx, ports[4]); err != nil {
		c.kill()
		return nil, err
	}
	c.ready = time.Since(c.began)
	return c, nil
}

func (c *collector) waitHealthy(ctx context.Context, health string) error {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	for {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+health, http.NoBody)
		if err != nil {
			return err
		}
		if response, err := http.DefaultClient.Do(request); err == nil {
			response.Body.Close()
			if response.StatusCode == http.StatusOK {
				return nil
			}
		}
		select {
		case <-c.exited:
			return fmt.Errorf("the collector ended at start: %w; see %s", c.exitErr, c.logFile)
		case <-ctx.Done():
			return fmt.Errorf("the collector is not healthy: %w; see %s", ctx.Err(), c.logFile)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// targets returns the systems that are scraped by their addresses.
func (c *collector) targets() map[string]string {
	targets := map[string]string{}
	for i, address := range c.pages {
		targets[address] = scrapedSystems[i]
	}
	return targets
}

// stop ends the collector in order, so that it flushes what it holds.
func (c *collector) stop() error {
	if err := c.command.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	select {
	case <-c.exited:
		return c.exitErr
	case <-time.After(10 * time.Second):
		return errors.New("the collector did not end within 10 s of SIGTERM")
	}
}

// kill ends the collector if it still runs.
func (c *collector) kill() {
	_ = c.command.Process.Kill() // an error says that it has ended
	<-c.exited
}
