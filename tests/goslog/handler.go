// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"log/slog"
	"path/filepath"

	"go.opentelemetry.io/otel/trace"
)

// withSpan adds the ids of the span in the context to each entry, as Go services do,
// and keeps what was written.
type withSpan struct {
	slog.Handler
	sent *record
	file string
}

// Handle writes an entry.
func (h withSpan) Handle(ctx context.Context, r slog.Record) error {
	entry := sentEntry{File: filepath.Base(h.file), Body: r.Message, Severity: r.Level.String()}
	if span := trace.SpanContextFromContext(ctx); span.IsValid() {
		entry.TraceID, entry.SpanID = span.TraceID().String(), span.SpanID().String()
		r.AddAttrs(slog.String("trace_id", entry.TraceID), slog.String("span_id", entry.SpanID))
	}
	h.sent.Entries = append(h.sent.Entries, entry)
	return h.Handler.Handle(ctx, r)
}

// WithAttrs adds attributes to all entries to come.
func (h withSpan) WithAttrs(attrs []slog.Attr) slog.Handler {
	h.Handler = h.Handler.WithAttrs(attrs)
	return h
}

// WithGroup opens a group.
func (h withSpan) WithGroup(name string) slog.Handler {
	h.Handler = h.Handler.WithGroup(name)
	return h
}

// record is what the program sent and wrote.
type record struct {
	Spans   []sentSpan  `json:"spans"`
	Entries []sentEntry `json:"entries"`
}

type sentSpan struct {
	Name    string `json:"name"`
	TraceID string `json:"trace_id"`
	SpanID  string `json:"span_id"`
}

// sentEntry is an entry of the text log. The ids are empty outside of spans.
type sentEntry struct {
	File     string `json:"file"`
	Body     string `json:"body"`
	Severity string `json:"severity"`
	TraceID  string `json:"trace_id"`
	SpanID   string `json:"span_id"`
}
