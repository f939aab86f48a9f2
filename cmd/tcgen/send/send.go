// SPDX-License-Identifier: Apache-2.0

// Package send sends and writes what systems send: to an OTLP endpoint, on Prometheus pages, and into log files.
package send

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/otelcol-tc/otelcol-tc/cmd/tcgen/scenario"
)

// Options say what is sent where.
type Options struct {
	Systems []string
	// Endpoint is one for OTLP gRPC, plaintext.
	Endpoint string
	// Rate is how many scenarios a second each system plays, at most.
	Rate     float64
	Duration time.Duration
	Seed     uint64
	// Pages are the addresses of pages, separated by commas: one for all scraped systems, or one for each. Empty for none.
	Pages string
	// LogDir is where text logs are appended to files. Empty for nowhere.
	LogDir string
	// Sent is called with each batch of a system that went out, one after the other for a system. It may be nil.
	Sent func(system string, batch scenario.Batch)
}

// Counts are the items of one system.
type Counts struct {
	Scenarios, Spans, MetricPoints, LogRecords int
	// LogEvents are what the records are about: TuFT sends each twice.
	LogEvents int
	// LogEntries are text log entries, LogLines the lines they take up.
	LogEntries, LogLines int
	// ScrapeSeries are the series of the last page that was served, a histogram's as
	// one, and ScrapeFamilies its metric families. Both are empty where nobody scraped.
	ScrapeSeries   int
	ScrapeFamilies []string
}

// Run plays all systems side by side until the duration is over, ctx ends or one of them fails. It counts in any case.
func Run(ctx context.Context, o Options) (map[string]Counts, error) {
	to, err := newExporter(o.Endpoint)
	if err != nil {
		return nil, err
	}
	defer to.close()
	files, err := newFiles(o.LogDir)
	if err != nil {
		return nil, err
	}
	defer files.close()
	base := time.Now()
	var runs []*run
	for _, name := range o.Systems {
		// The processes imitated have been up for a while.
		g, err := scenario.New(name, o.Seed, base.Add(-time.Minute))
		if err != nil {
			return nil, err
		}
		runs = append(runs, &run{Options: o, generator: g, page: newPage(g), to: to, files: files, base: base})
	}
	if o.Pages != "" {
		stop, err := servePrometheus(o.Pages, runs)
		if err != nil {
			return nil, err
		}
		defer stop()
	}
	group, groupCtx := errgroup.WithContext(ctx)
	for _, r := range runs {
		group.Go(func() error { return r.loop(groupCtx) })
	}
	errs := []error{group.Wait()}
	counts := map[string]Counts{}
	for _, r := range runs {
		counts[r.generator.Name()] = r.counted()
		errs = append(errs, r.rejected...)
	}
	return counts, errors.Join(errs...)
}

// run is one system's part of a call of Run.
type run struct {
	Options
	generator scenario.Generator
	page      *page // nil for a system that is not scraped
	to        *exporter
	files     *files
	base      time.Time
	counts    Counts
	// rejected is what the endpoint said of data it accepted only in part.
	rejected []error
}

// loop runs one scenario per interval until the duration is over. It never catches
// up: a slow endpoint makes it send less, never faster.
func (r *run) loop(ctx context.Context) error {
	interval := time.Duration(float64(time.Second) / r.Rate)
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	end := time.NewTimer(r.Duration)
	defer end.Stop()

	scenarios := max(1, int(r.Duration/interval))
	for i := 0; ; i++ {
		if i < scenarios {
			// The time in the data depends on i alone, so that it is reproducible.
			if err := r.once(ctx, r.base.Add(time.Duration(i)*interval)); err != nil {
				return fmt.Errorf("%s: %w", r.generator.Name(), err)
			}
		}
		select {
		case <-ctx.Done():
			return nil
		case <-end.C:
			return nil
		case <-ticker.C:
		}
	}
}

func (r *run) once(ctx context.Context, now time.Time) error {
	batch := r.generator.Next(now)
	rejected, err := r.to.export(ctx, batch)
	if err != nil {
		return err
	}
	for _, reason := range rejected {
		r.rejected = append(r.rejected, fmt.Errorf("%s: %s", r.generator.Name(), reason))
	}
	if r.LogDir == "" {
		batch.Lines = nil
	}
	if err := r.files.write(batch.Lines); err != nil {
		return err
	}
	r.counts.add(batch)
	if r.Sent != nil {
		r.Sent(r.generator.Name(), batch)
	}
	return nil
}

func (c *Counts) add(b scenario.Batch) {
	c.Scenarios++
	c.Spans += b.Traces.SpanCount()
	c.MetricPoints += b.Metrics.DataPointCount()
	c.LogRecords += b.Logs.LogRecordCount()
	c.LogEvents += b.Events().LogRecordCount()
	c.LogEntries += len(b.Lines)
	for _, l := range b.Lines {
		c.LogLines += 1 + strings.Count(l.Text, "\n")
	}
}

// counted returns the counts with those of the page.
func (r *run) counted() Counts {
	c := r.counts
	if r.page == nil {
		return c
	}
	families := r.page.served()
	c.ScrapeFamilies = slices.Sorted(maps.Keys(families))
	for _, series := range families {
		c.ScrapeSeries += series
	}
	return c
}
