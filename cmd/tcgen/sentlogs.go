// SPDX-License-Identifier: Apache-2.0

package main

import (
	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/otelcol-tc/otelcol-tc/cmd/tcgen/scenario"
)

// sentLog is the truth about a log record or an entry of a text log, as --sent-logs
// says it.
type sentLog struct {
	System string `json:"system"`
	// File is the base name of the text log, empty for a record sent over OTLP.
	File string `json:"file"`
	// Index counts the entries of the file, or the system's records, from 0.
	Index int `json:"index"`
	// Time is in nanoseconds, also where the text says less.
	Time int64 `json:"time"`
	// Text is the body of a record, the whole text of an entry.
	Text string `json:"text"`
	// TraceID and SpanID are those of the span it was written in; they are empty where
	// there was none.
	TraceID string          `json:"trace_id"`
	SpanID  string          `json:"span_id"`
	States  scenario.States `json:"states"`
}

// logRecord writes down what one system logged. It is not safe for concurrent use,
// the file under it is.
type logRecord struct {
	system string
	file   *recordFile // nil without --sent-logs
	counts map[string]int
}

func newLogRecord(system string, file *recordFile) *logRecord {
	return &logRecord{system: system, file: file, counts: map[string]int{}}
}

// records adds the events that were sent over OTLP, in their order. Its own ids are the truth.
func (r *logRecord) records(logs plog.Logs) error {
	var all []sentLog
	for _, rl := range logs.ResourceLogs().All() {
		for _, sl := range rl.ScopeLogs().All() {
			for _, record := range sl.LogRecords().All() {
				states := scenario.StatesNative
				if record.TraceID().IsEmpty() {
					states = scenario.StatesNothing
				}
				all = append(all, sentLog{
					Time:    int64(record.Timestamp()),
					Text:    record.Body().Str(),
					TraceID: record.TraceID().String(),
					SpanID:  record.SpanID().String(),
					States:  states,
				})
			}
		}
	}
	return r.write(all)
}

// lines adds text entries, in the order in which they were written.
func (r *logRecord) lines(lines []scenario.Line) error {
	var all []sentLog
	for _, l := range lines {
		all = append(all, sentLog{
			File:    l.File,
			Time:    l.Time.UnixNano(),
			Text:    l.Text,
			TraceID: l.Span.TraceID.String(),
			SpanID:  l.Span.SpanID.String(),
			States:  l.States,
		})
	}
	return r.write(all)
}

func (r *logRecord) write(logs []sentLog) error {
	if r.file == nil {
		return nil
	}
	for i := range logs {
		l := &logs[i]
		l.System, l.Index = r.system, r.counts[l.File]
		r.counts[l.File]++
	}
	return addValues(r.file, logs)
}
