// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// The convention's forms, and the names that other conventions own. They are
// written here once more on purpose: the demo does not ask the processor
// whether it did well.
var (
	metricForm   = regexp.MustCompile(`^tc_[a-z0-9]+(_[a-z0-9]+)*$`)
	exemptMetric = regexp.MustCompile(`^((http|rpc|system|process|k8s|container|hw)\.|(python|process|go|scrape|otelcol)_)|^(up|target_info)$`)
	spanForm     = regexp.MustCompile(`^[A-Z][A-Za-z0-9]*/[A-Z][A-Za-z0-9]*$`)
	exemptSpan   = regexp.MustCompile(`^[A-Z]+( /\S*)?$`)
)

const (
	scrapeSource  = "scrape"
	logFileSource = "log files"
)

// received is what came out of the collector for one source.
type received struct {
	spans   int
	metrics *measured
	renamed map[string]string // original → new
	wrong   map[string]bool   // names left that are neither conformant nor exempt
	copies  map[string]bool   // the canonical names under which its metrics came out as well
}

// output is what came out by source.
type output struct {
	sources map[string]*received
	targets map[string]string // the scraped systems by the addresses of their pages
	spans   map[string][]ptrace.Span
	records map[string][]plog.LogRecord
	texts   map[string][]plog.LogRecord // records of text logs, by file
	scores  scores
}

func newOutput() output {
	return output{
		sources: map[string]*received{},
		spans:   map[string][]ptrace.Span{},
		records: map[string][]plog.LogRecord{},
		texts:   map[string][]plog.LogRecord{},
		scores:  scores{},
	}
}

func (o output) of(source string) *received {
	if o.sources[source] == nil {
		o.sources[source] = &received{metrics: newMeasured(), renamed: map[string]string{}, wrong: map[string]bool{}, copies: map[string]bool{}}
	}
	return o.sources[source]
}

func (r *received) name(name, original string, renamed, right bool) {
	if renamed {
		r.renamed[original] = name
	}
	if !right {
		r.wrong[name] = true
	}
}

// source returns whose telemetry a resource sends.
func source(resource pcommon.Resource) string {
	attrs := resource.Attributes()
	namespace, ok := attrs.Get("service.namespace")
	switch text(namespace, ok) {
	case "tensorcast":
		return "tensorcast"
	case "tango":
		return "pytango"
	}
	name, ok := attrs.Get("service.name")
	switch {
	case !ok:
		return "unknown"
	case name.Str() == "runtimes": // the scrape job of builtin:dev
		return scrapeSource
	case strings.HasPrefix(name.Str(), engine):
		return engine
	}
	return strings.ToLower(name.Str())
}

// scrapedFrom names the source of a system's page.
func scrapedFrom(system string) string { return system + ", scraped" }

// readOutput reads what the file exporters wrote.
func readOutput(dir string, targets map[string]string) (output, error) {
	o := newOutput()
	o.targets = targets
	return o, errors.Join(
		eachLine(filepath.Join(dir, "traces.json"), o.traces),
		eachLine(filepath.Join(dir, "metrics.json"), o.metrics),
		eachLine(filepath.Join(dir, "logs.json"), o.logs),
		eachLine(filepath.Join(dir, "scores.json"), o.scores.read))
}

func (o output) traces(line []byte) error {
	td, err := (&ptrace.JSONUnmarshaler{}).UnmarshalTraces(line)
	if err != nil {
		return err
	}
	for _, rs := range td.ResourceSpans().All() {
		from := source(rs.Resource())
		r := o.of(from)
		for _, ss := range rs.ScopeSpans().All() {
			for _, span := range ss.Spans().All() {
				r.spans++
				o.spans[from] = append(o.spans[from], span)
				original, renamed := span.Attributes().Get("tc.original_name")
				r.name(span.Name(), text(original, renamed), renamed, from == engine || spanForm.MatchString(span.Name()) || exemptSpan.MatchString(span.Name()))
			}
		}
	}
	return nil
}

func (o output) metrics(line []byte) error {
	md, err := (&pmetric.JSONUnmarshaler{}).UnmarshalMetrics(line)
	if err == nil {
		o.add(md)
	}
	return err
}

func (o output) add(md pmetric.Metrics) {
	for _, rm := range md.ResourceMetrics().All() {
		from := source(rm.Resource())
		system := o.targets[text(rm.Resource().Attributes().Get("service.instance.id"))]
		if from == scrapeSource && system != "" {
			from = scrapedFrom(system)
		}
		for _, sm := range rm.ScopeMetrics().All() {
			container := fmt.Sprintf("%#v %s %s", rm.Resource().Attributes().AsRaw(), sm.Scope().Name(), sm.Scope().Version())
			for _, m := range sm.Metrics().All() {
				original := m.Name()
				kept, renamed := m.Metadata().Get("tc.original_name")
				if renamed {
					original = kept.AsString()
				}
				r := o.of(from)
				if _, copied := m.Metadata().Get("tc.copy_of"); copied {
					r.copies[m.Name()] = true
					continue
				}
				r.name(m.Name(), original, renamed, system == engine || metricForm.MatchString(m.Name()) || exemptMetric.MatchString(m.Name()))
				r.metrics.add(original, container, m)
			}
		}
	}
}

func (o output) logs(line []byte) error {
	ld, err := (&plog.JSONUnmarshaler{}).UnmarshalLogs(line)
	if err != nil {
		return err
	}
	for _, rl := range ld.ResourceLogs().All() {
		from := source(rl.Resource())
		for _, sl := range rl.ScopeLogs().All() {
			for _, record := range sl.LogRecords().All() {
				if file, isText := record.Attributes().Get("log.file.name"); isText {
					o.texts[file.Str()] = append(o.texts[file.Str()], record)
				} else {
					o.records[from] = append(o.records[from], record)
				}
			}
		}
	}
	return nil
}

// textRecords counts the records of text logs.
func (o output) textRecords() int {
	n := 0
	for _, records := range o.texts {
		n += len(records)
	}
	return n
}

func text(v pcommon.Value, ok bool) string {
	if !ok {
		return ""
	}
	return v.AsString()
}

// eachLine calls do with every line of a file.
func eachLine(file string, do func(line []byte) error) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	lines := bufio.NewReader(f)
	for number := 1; ; number++ {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := do(line); err != nil {
			return fmt.Errorf("%s:%d: %w", file, number, err)
		}
	}
}

// entriesWait is how long text log entries can take, and more: files are polled, and
// an entry that names no span can be held for 6 s until one has its key.
const entriesWait = 20 * time.Second

// waitForEntries waits until all text log entries came through. It gives up quietly
// after a while: the table then shows what is missing.
func waitForEntries(ctx context.Context, file string, in *sent) error {
	want := 0
	for _, c := range in.counts {
		want += c.LogEntries
	}
	for deadline := time.Now().Add(entriesWait); time.Now().Before(deadline); {
		o := newOutput()
		if err := eachLine(file, o.logs); err != nil {
			return err
		}
		if o.textRecords() >= want {
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
