// SPDX-License-Identifier: Apache-2.0

package main

import (
	"slices"
	"strings"
	"sync"

	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/otelcol-tc/otelcol-tc/cmd/tcgen/judge"
	"github.com/otelcol-tc/otelcol-tc/cmd/tcgen/scenario"
	"github.com/otelcol-tc/otelcol-tc/cmd/tcgen/send"
)

// sent is what was sent and written, and the truth about it.
type sent struct {
	counts map[string]send.Counts

	mu      sync.Mutex // guards what follows while it is sent
	metrics output
	// lines are the logs that did not come out yet: by system what was sent over OTLP, by file what was written.
	lines map[string][]scenario.Line
	pairs map[edge]pair
}

// edge is a link from an earlier span to a later one.
type edge struct{ from, to scenario.SpanRef }

// pair is a link that belongs between two spans of a system.
type pair struct {
	system   string
	findable bool
}

func newSent() *sent {
	return &sent{metrics: newOutput(), lines: map[string][]scenario.Line{}, pairs: map[edge]pair{}}
}

// add notes a batch that was sent. It is safe for concurrent use.
func (s *sent) add(system string, b scenario.Batch) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.metrics.addMetrics(b.Metrics)
	for _, l := range b.Lines {
		s.lines[l.File] = append(s.lines[l.File], l)
	}
	events := newOutput()
	events.addLogs(b.Events())
	for _, sent := range events.sources {
		for _, record := range sent.records {
			l := scenario.Line{Time: record.Timestamp().AsTime(), Text: record.Body().Str(), Span: judge.SpanOf(record), States: scenario.StatesNative}
			if record.TraceID().IsEmpty() {
				l.States = scenario.StatesNothing
			}
			s.lines[system] = append(s.lines[system], l)
		}
	}
	for _, p := range b.Pairs {
		s.pairs[edge{p.From, p.To}] = pair{system, p.Findable()}
	}
}

// logs returns the number of all logs.
func (s *sent) logs() (n int) {
	for _, lines := range s.lines {
		n += len(lines)
	}
	return n
}

// take returns the truth about a record of a source. A file's record has a part of the entry's text, up to
// content that was replaced. Records that waited for their span come later than others, and threads log the same
// at the same time, so a log of the record's time and thread is preferred.
func (s *sent) take(source string, r plog.LogRecord) (l scenario.Line, ok bool) {
	left, body, at, thread := s.lines[source], r.Body().AsString(), r.Timestamp().AsTime(), threadOf(r)
	part := func(l scenario.Line) bool { return judge.MadeOf(body, l) }
	ofThread := func(l scenario.Line) bool { return part(l) && strings.Contains(l.Text, thread) }
	for _, matches := range []func(scenario.Line) bool{
		func(l scenario.Line) bool { return l.Text == body && l.Time.Equal(at) },
		func(l scenario.Line) bool { return ofThread(l) && l.Time.UnixMilli() == at.UnixMilli() },
		func(l scenario.Line) bool { return ofThread(l) && l.Time.Unix() == at.Unix() },
		part,
	} {
		if i := slices.IndexFunc(left, matches); i >= 0 {
			l = left[i]
			s.lines[source] = slices.Delete(left, i, i+1)
			return l, true
		}
	}
	return l, false
}

// threadOf returns the thread that a record names, or nothing.
func threadOf(r plog.LogRecord) string {
	for _, key := range []string{"thread.name", "thread.id"} {
		if value, ok := r.Attributes().Get(key); ok {
			return value.AsString()
		}
	}
	return ""
}
