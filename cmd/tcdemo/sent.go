// SPDX-License-Identifier: Apache-2.0

package main

import (
	"slices"
	"strings"
	"sync"

	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/otelcol-tc/otelcol-tc/cmd/tcgen/scenario"
	"github.com/otelcol-tc/otelcol-tc/cmd/tcgen/send"
	"github.com/otelcol-tc/otelcol-tc/conventions/content"
)

// sent is what was sent and written, and the truth about it.
type sent struct {
	counts map[string]send.Counts

	mu      sync.Mutex // guards what follows while it is sent
	metrics output
	// entries are text entries by file, records those over OTLP by what identifies them.
	entries map[string][]scenario.Line
	records map[recordKey][]scenario.Line
	pairs   map[edge]pair
}

// recordKey tells the records of a system apart, but for those sent twice.
type recordKey struct {
	system string
	time   int64
	body   string
}

// edge is a link from an earlier span to a later one.
type edge struct{ from, to scenario.SpanRef }

// pair is a link that belongs between two spans of a system.
type pair struct {
	system   string
	findable bool
}

func newSent() *sent {
	return &sent{metrics: newOutput(), entries: map[string][]scenario.Line{}, records: map[recordKey][]scenario.Line{}, pairs: map[edge]pair{}}
}

// add notes a batch that was sent. It is safe for concurrent use.
func (s *sent) add(system string, b scenario.Batch) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.metrics.add(b.Metrics)
	for _, l := range b.Lines {
		s.entries[l.File] = append(s.entries[l.File], l)
	}
	for _, rl := range b.Events().ResourceLogs().All() {
		for _, sl := range rl.ScopeLogs().All() {
			for _, record := range sl.LogRecords().All() {
				l := scenario.Line{Text: record.Body().Str(), Span: refOf(record), States: scenario.StatesNative}
				if record.TraceID().IsEmpty() {
					l.States = scenario.StatesNothing
				}
				key := recordKey{system, int64(record.Timestamp()), l.Text}
				s.records[key] = append(s.records[key], l)
			}
		}
	}
	for _, p := range b.Pairs {
		s.pairs[edge{p.From, p.To}] = pair{system, p.Findable()}
	}
}

func refOf(record plog.LogRecord) scenario.SpanRef {
	return scenario.SpanRef{TraceID: record.TraceID(), SpanID: record.SpanID()}
}

// takeRecord returns the truth about a record that was sent over OTLP.
func (s *sent) takeRecord(system string, r plog.LogRecord) (l scenario.Line, ok bool) {
	key := recordKey{system, int64(r.Timestamp()), r.Body().AsString()}
	left := s.records[key]
	if len(left) == 0 {
		return l, false
	}
	s.records[key] = left[1:]
	return left[0], true
}

// takeEntry returns the truth about a record of a file, whose body is a part of the entry's text, up to content that
// was replaced. Its lines are: in the text each may have a header of its own.
// Records that waited for their span come later than others, so entries of the record's
// millisecond are preferred. An empty body is a part of every text, but of no entry of tcgen.
func (s *sent) takeEntry(file string, r plog.LogRecord) (l scenario.Line, ok bool) {
	left, body := s.entries[file], r.Body().AsString()
	kept, _, _ := strings.Cut(body, content.Redacted)
	if kept == "" {
		kept = scenario.Content // the body was nothing else
	}
	matches := func(l scenario.Line) bool { return body != "" && hasLines(l.Text, kept) }
	i := slices.IndexFunc(left, func(l scenario.Line) bool {
		return matches(l) && l.Time.UnixMilli() == r.Timestamp().AsTime().UnixMilli()
	})
	if i < 0 {
		i = slices.IndexFunc(left, matches)
	}
	if i < 0 {
		return l, false
	}
	l = left[i]
	s.entries[file] = slices.Delete(left, i, i+1)
	return l, true
}

// hasLines reports whether a text has each line of a body.
func hasLines(text, body string) bool {
	for line := range strings.SplitSeq(body, "\n") {
		if !strings.Contains(text, line) {
			return false
		}
	}
	return true
}
