// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/otelcol-tc/otelcol-tc/tests/tcgen/scenario"
)

const (
	// seed makes each demo send the same data, apart from the time.
	seed = 1
	// interval is the time between two scenarios of a system.
	interval = 250 * time.Millisecond
)

// sender plays systems side by side.
type sender struct {
	systems []*system
	logs    string   // the folder of text logs
	pages   []string // the addresses of pages
}

// system is one that scenario imitates, with what it sent.
type system struct {
	scenario.Generator
	spans  int
	logs   int    // events that were sent as records, and entries that were written
	series output // of metrics that were sent
}

// newSender starts systems and serves their pages until ctx ends.
func newSender(ctx context.Context, names []string, logs string) (*sender, error) {
	s := &sender{logs: logs}
	up := time.Now().Add(-time.Minute) // the processes imitated have been up for a while
	for _, name := range names {
		generator, err := scenario.New(name, seed, up)
		if err != nil {
			return nil, err
		}
		sys := &system{Generator: generator, series: newOutput(nil)}
		s.systems = append(s.systems, sys)
		if sys.Gatherer() == nil {
			continue
		}
		listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		s.pages = append(s.pages, listener.Addr().String())
		server := &http.Server{Handler: promhttp.HandlerFor(sys.Gatherer(), promhttp.HandlerOpts{}), ReadHeaderTimeout: 5 * time.Second}
		go func() { _ = server.Serve(listener) }()
		context.AfterFunc(ctx, func() { _ = server.Close() })
	}
	return s, nil
}

// targets returns the scraped systems by the addresses of their pages.
func (s *sender) targets() map[string]string {
	targets := map[string]string{}
	for _, sys := range s.systems {
		if sys.Gatherer() != nil {
			targets[s.pages[len(targets)]] = sys.Name()
		}
	}
	return targets
}

// run sends a scenario of each system at each interval, to an OTLP endpoint, on the pages and into log files.
func (s *sender) run(ctx context.Context, endpoint string, duration time.Duration) error {
	connection, err := grpc.NewClient(endpoint, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return err
	}
	defer connection.Close()
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for range max(1, duration/interval) {
		now := time.Now()
		for _, sys := range s.systems {
			if err := s.once(ctx, sys, connection, now); err != nil {
				return fmt.Errorf("%s: %w", sys.Name(), err)
			}
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-ticker.C:
		}
	}
	return nil
}

func (s *sender) once(ctx context.Context, sys *system, connection *grpc.ClientConn, now time.Time) error {
	batch := sys.Next(now)
	if err := batch.Export(ctx, connection); err != nil {
		return err
	}
	for _, line := range batch.Lines {
		if err := appendLine(filepath.Join(s.logs, line.File), line.Text); err != nil {
			return err
		}
	}
	sys.spans += batch.Traces.SpanCount()
	sys.logs += batch.Events().LogRecordCount() + len(batch.Lines)
	sys.series.addMetrics(batch.Metrics)
	return nil
}

func appendLine(path, text string) error {
	file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = file.WriteString(text + "\n")
	return errors.Join(err, file.Close())
}

// pageSeries returns the number of series of the system's page.
func (s *system) pageSeries() (series int, err error) {
	families, err := s.Gatherer().Gather()
	for _, family := range families {
		series += len(family.GetMetric())
	}
	return series, err
}
