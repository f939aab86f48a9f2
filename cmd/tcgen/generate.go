// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/otelcol-tc/otelcol-tc/cmd/tcgen/scenario"
)

// generate runs all systems side by side until the duration is over, ctx ends or
// one of them fails, and reports in any case.
func generate(ctx context.Context, opts options, out io.Writer) error {
	send, err := newSender(opts.endpoint)
	if err != nil {
		return err
	}
	defer send.close()
	var logs *logWriter
	if opts.logDir != "" {
		if logs, err = newLogWriter(opts.logDir); err != nil {
			return err
		}
		defer logs.close()
	}
	sentMetrics, err := newRecordFile("--sent-metrics", opts.sentMetrics)
	if err != nil {
		return err
	}
	defer sentMetrics.close()
	sentLogs, err := newRecordFile("--sent-logs", opts.sentLogs)
	if err != nil {
		return err
	}
	defer sentLogs.close()
	sentPairs, err := newRecordFile("--sent-pairs", opts.sentPairs)
	if err != nil {
		return err
	}
	defer sentPairs.close()

	base := time.Now()
	var runs []*run
	for _, name := range opts.systems {
		// The processes imitated have been up for a while.
		g, err := scenario.New(name, opts.seed, base.Add(-time.Minute))
		if err != nil {
			return err
		}
		runs = append(runs, &run{
			generator: g, page: newPage(g), send: send, logs: logs, base: base, opts: opts,
			sentMetrics: sentMetrics, sentLogs: newLogRecord(name, sentLogs), sentPairs: sentPairs,
		})
	}
	if opts.prometheusListen != "" {
		stop, err := servePrometheus(opts.prometheusListen, runs)
		if err != nil {
			return err
		}
		defer stop()
	}

	group, groupCtx := errgroup.WithContext(ctx)
	for _, r := range runs {
		group.Go(func() error { return r.loop(groupCtx) })
	}
	err = group.Wait()
	return summarise(opts, runs, time.Since(base), err).report(opts.summaryFile, out)
}

// run is one system's part of a generate call.
type run struct {
	generator   scenario.Generator
	page        *page // nil for a system that is not scraped
	send        *sender
	logs        *logWriter  // nil without --log-dir
	sentMetrics *recordFile // nil without --sent-metrics
	sentLogs    *logRecord
	sentPairs   *recordFile // nil without --sent-pairs
	base        time.Time
	opts        options
	counts      counts
	// rejected holds what the endpoint said of data it accepted only in part.
	rejected []string
}

// loop runs one scenario per interval until the duration is over. It never catches
// up: a slow endpoint makes it send less, never faster.
func (r *run) loop(ctx context.Context) error {
	interval := time.Duration(float64(time.Second) / r.opts.rate)
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	end := time.NewTimer(r.opts.duration)
	defer end.Stop()

	scenarios := max(1, int(r.opts.duration/interval))
	for i := 0; ; i++ {
		if i < scenarios {
			// The time in the data depends on i alone, so that it is reproducible.
			if err := r.once(ctx, r.base.Add(time.Duration(i)*interval)); err != nil {
				return err
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
	rejected, err := r.send.send(ctx, batch)
	if err != nil {
		return fmt.Errorf("%s: %w", r.generator.Name(), err)
	}
	r.rejected = append(r.rejected, rejected...)
	r.counts.add(batch)
	if err := errors.Join(
		r.sentMetrics.metrics(batch.Metrics),
		r.sentLogs.records(batch.Events()),
		r.sentPairs.pairs(r.generator.Name(), batch.Pairs),
	); err != nil {
		return err
	}
	if r.logs == nil {
		return nil
	}
	if err := r.logs.write(batch.Lines); err != nil {
		return fmt.Errorf("%s: %w", r.generator.Name(), err)
	}
	r.counts.addLines(batch.Lines)
	return r.sentLogs.lines(batch.Lines)
}
