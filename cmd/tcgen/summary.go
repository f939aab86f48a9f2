// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/otelcol-tc/otelcol-tc/cmd/tcgen/scenario"
)

// counts are the items of one system.
type counts struct {
	Scenarios    int `json:"scenarios"`
	Spans        int `json:"spans"`
	MetricPoints int `json:"metric_points"`
	LogRecords   int `json:"log_records"`
	// LogEvents are what the records are about: TuFT sends each twice.
	LogEvents int `json:"log_events"`
	// LogEntries are text log entries, LogLines the lines they take up. Both are 0
	// without --log-dir.
	LogEntries int `json:"log_entries"`
	LogLines   int `json:"log_lines"`
	// ScrapeSeries are the series of the last page that was served, a histogram's as
	// one, and ScrapeFamilies its metric families. Both are empty where nobody scraped.
	ScrapeSeries   int      `json:"scrape_series"`
	ScrapeFamilies []string `json:"scrape_families,omitempty"`
}

func (c *counts) add(b scenario.Batch) {
	c.Scenarios++
	c.Spans += b.Traces.SpanCount()
	c.MetricPoints += b.Metrics.DataPointCount()
	c.LogRecords += b.Logs.LogRecordCount()
	c.LogEvents += b.Events().LogRecordCount()
}

func (c *counts) addPage(families map[string]int) {
	c.ScrapeFamilies = slices.Sorted(maps.Keys(families))
	for _, series := range families {
		c.ScrapeSeries += series
	}
}

func (c *counts) addLines(lines []scenario.Line) {
	for _, l := range lines {
		c.LogEntries++
		c.LogLines += 1 + strings.Count(l.Text, "\n")
	}
}

// summary is what a generate call did.
type summary struct {
	Endpoint string            `json:"endpoint"`
	Seed     uint64            `json:"seed"`
	Seconds  float64           `json:"seconds"`
	Systems  map[string]counts `json:"systems"`
	Errors   []string          `json:"errors"`
	order    []string
}

// summarise sums up the runs; failure is what ended them early, if anything.
func summarise(opts options, runs []*run, took time.Duration, failure error) summary {
	s := summary{
		Endpoint: opts.endpoint,
		Seed:     opts.seed,
		Seconds:  took.Seconds(),
		Systems:  map[string]counts{},
		Errors:   []string{},
		order:    opts.systems,
	}
	for _, r := range runs {
		c := r.counts
		if r.page != nil {
			c.addPage(r.page.served())
		}
		s.Systems[r.generator.Name()] = c
		for _, reason := range r.rejected {
			s.Errors = append(s.Errors, r.generator.Name()+": "+reason)
		}
	}
	if failure != nil {
		s.Errors = append(s.Errors, failure.Error())
	}
	return s
}

// report prints a table, writes the JSON file if one is asked for, and returns the
// errors of the runs as one.
func (s summary) report(file string, out io.Writer) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "system\tscenarios\tspans\tmetric points\tlog records\tlog lines\tscrape series\t")
	for _, name := range s.order {
		c := s.Systems[name]
		fmt.Fprintf(table, "%s\t%d\t%d\t%d\t%d\t%d\t%d\t\n",
			name, c.Scenarios, c.Spans, c.MetricPoints, c.LogRecords, c.LogLines, c.ScrapeSeries)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	if file != "" {
		if err := s.write(file); err != nil {
			return err
		}
	}
	if len(s.Errors) > 0 {
		return errors.New(strings.Join(s.Errors, "; "))
	}
	return nil
}

func (s summary) write(file string) error {
	text, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	if err := os.WriteFile(file, append(text, '\n'), 0o644); err != nil {
		return fmt.Errorf("--summary: %w", err)
	}
	return nil
}
