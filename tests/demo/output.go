// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
	"github.com/otelcol-tc/otelcol-tc/internal/datapoints"
	"github.com/otelcol-tc/otelcol-tc/tests/tcgen/judge"
)

// output is what went in or came out, by source: a system, a system's page, or a text log's file.
type output struct {
	sources map[string]*source
	targets map[string]string // the scraped systems by the addresses of their pages
}

type source struct {
	spans, linked int // linked by span_link
	logs          int
	inSpan        int // logs with the ids of a span
	inTrace       int // logs with the id of a trace alone
	series        map[string]bool
	renamed       map[string]string // original → new
	copies        map[string]bool   // the canonical names under which its metrics came out as well
}

func newOutput(targets map[string]string) output {
	return output{sources: map[string]*source{}, targets: targets}
}

func (o output) of(name string) *source {
	if o.sources[name] == nil {
		o.sources[name] = &source{series: map[string]bool{}, renamed: map[string]string{}, copies: map[string]bool{}}
	}
	return o.sources[name]
}

// logs returns the number of all log records.
func (o output) logs() (n int) {
	for _, got := range o.sources {
		n += got.logs
	}
	return n
}

// name notes the name that an item came in with.
func (s *source) name(name string, notes pcommon.Map) {
	if original := judge.Text(notes, naming.OriginalNameKey); original != "" {
		s.renamed[original] = name
	}
}

// sender returns the system that sends what has these resource attributes, or whose page it is.
func (o output) sender(resource pcommon.Map) string {
	namespace := judge.Text(resource, "service.namespace")
	service := judge.Text(resource, "service.name")
	system, scraped := o.targets[judge.Text(resource, "service.instance.id")]
	switch {
	case scraped:
		return scrapedFrom(system)
	case namespace == "tango":
		return "pytango"
	case namespace == "tensorcast":
		return namespace
	case strings.HasPrefix(service, engine):
		return engine
	}
	return strings.ToLower(service)
}

// scrapedFrom names the source of a system's page.
func scrapedFrom(system string) string { return system + ", scraped" }

// readOutput reads what the file exporters wrote.
func readOutput(dir string, targets map[string]string) (output, error) {
	o := newOutput(targets)
	return o, errors.Join(
		eachLine(filepath.Join(dir, "traces.json"), (&ptrace.JSONUnmarshaler{}).UnmarshalTraces, o.addTraces),
		eachLine(filepath.Join(dir, "metrics.json"), (&pmetric.JSONUnmarshaler{}).UnmarshalMetrics, o.addMetrics),
		eachLine(filepath.Join(dir, "logs.json"), (&plog.JSONUnmarshaler{}).UnmarshalLogs, o.addLogs))
}

func (o output) addTraces(td ptrace.Traces) {
	for _, rs := range td.ResourceSpans().All() {
		s := o.of(o.sender(rs.Resource().Attributes()))
		for _, ss := range rs.ScopeSpans().All() {
			for _, span := range ss.Spans().All() {
				s.spans++
				s.name(span.Name(), span.Attributes())
				for _, link := range span.Links().All() {
					if judge.Text(link.Attributes(), "tc.link.rule") != "" {
						s.linked++
						break
					}
				}
			}
		}
	}
}

func (o output) addMetrics(md pmetric.Metrics) {
	for _, rm := range md.ResourceMetrics().All() {
		s := o.of(o.sender(rm.Resource().Attributes()))
		for _, sm := range rm.ScopeMetrics().All() {
			container := fmt.Sprintf("%#v %s %s", rm.Resource().Attributes().AsRaw(), sm.Scope().Name(), sm.Scope().Version())
			for _, m := range sm.Metrics().All() {
				if judge.Text(m.Metadata(), naming.CopyOfKey) != "" {
					s.copies[m.Name()] = true
					continue
				}
				s.name(m.Name(), m.Metadata())
				for attributes := range datapoints.Attributes(m) {
					// With %#v, 1 and "1" are different, and keys are sorted.
					s.series[fmt.Sprintf("%s %s %#v", container, m.Name(), attributes.AsRaw())] = true
				}
			}
		}
	}
}

func (o output) addLogs(ld plog.Logs) {
	for _, rl := range ld.ResourceLogs().All() {
		from := o.sender(rl.Resource().Attributes())
		for _, sl := range rl.ScopeLogs().All() {
			for _, record := range sl.LogRecords().All() {
				s := o.of(cmp.Or(judge.Text(record.Attributes(), "log.file.name"), from))
				s.logs++
				switch {
				case !record.SpanID().IsEmpty():
					s.inSpan++
				case !record.TraceID().IsEmpty():
					s.inTrace++
				}
			}
		}
	}
}

// eachLine reads a batch from every line of a file.
func eachLine[T any](file string, read func([]byte) (T, error), add func(T)) error {
	content, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	for line := range bytes.Lines(content) {
		if !bytes.HasSuffix(line, []byte("\n")) {
			break // the rest of it is still to be written
		}
		batch, err := read(line)
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		add(batch)
	}
	return nil
}

// waitForLogs waits until so many logs came out. Files are polled, and an entry that names no span
// can be held for 6 s until one has its key. It gives up quietly: the report then says what is missing.
func waitForLogs(ctx context.Context, file string, want int) error {
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); {
		o := newOutput(nil)
		if err := eachLine(file, (&plog.JSONUnmarshaler{}).UnmarshalLogs, o.addLogs); err != nil {
			return err
		}
		if o.logs() >= want {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(200 * time.Millisecond):
		}
	}
	return nil
}
