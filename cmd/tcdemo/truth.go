// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"slices"
	"strings"

	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/otelcol-tc/otelcol-tc/cmd/tcgen/scenario"
	"github.com/otelcol-tc/otelcol-tc/conventions/content"
)

// sentLog is what tcgen says of a log record or an entry of a text log.
type sentLog struct {
	System string `json:"system"`
	File   string `json:"file"` // empty for a record
	Time   int64  `json:"time"`
	Text   string `json:"text"`
	// The ids of the span it was written in.
	TraceID string `json:"trace_id"`
	SpanID  string `json:"span_id"`
	// States is what it says itself of these ids; the following are of interest here.
	States string `json:"states"`
}

const (
	statesNative = "native"
	statesIDs    = "ids"
)

// statesSpan says that a reader can find out the span.
func (s sentLog) statesSpan() bool { return s.States == statesNative || s.States == statesIDs }

// source is what the record or entry counts under.
func (s sentLog) source() string {
	if s.File == "" {
		return s.System
	}
	return textSource(s.File)
}

// textSources name the text logs by system and format.
var textSources = map[string]string{
	"tensorcast_daemon.log":        "tensorcast, C++ text",
	"tensorcast_peer_daemon.log":   "tensorcast, C++ text",
	"tensorcast_global_store.log":  "tensorcast, Python text",
	"tensorcast_daemon_stderr.log": "tensorcast, glog text",
	"fastdeploy_mixed-0.log":       "fastdeploy, text",
	"fastdeploy_prefill-0.log":     "fastdeploy, text",
	"fastdeploy_decode-0.log":      "fastdeploy, text",

	"fastdeploy_mixed-0_trace.log":   "fastdeploy, trace text",
	"fastdeploy_prefill-0_trace.log": "fastdeploy, trace text",
	"fastdeploy_decode-0_trace.log":  "fastdeploy, trace text",

	"vllm.log": "vllm, text",
}

func textSource(file string) string {
	if name, ok := textSources[file]; ok {
		return name
	}
	return file
}

// receivedLog is a log record that came out.
type receivedLog struct {
	time            int64
	body            string
	traceID, spanID string
}

func newReceivedLog(record plog.LogRecord) receivedLog {
	return receivedLog{
		time:    int64(record.Timestamp()),
		body:    record.Body().AsString(),
		traceID: record.TraceID().String(),
		spanID:  record.SpanID().String(),
	}
}

// truth is what was logged: text entries by file, in their order, and records by what
// identifies them.
type truth struct {
	entries map[string][]sentLog
	records map[recordKey][]sentLog
}

// recordKey tells the records of a system apart, but for those sent twice.
type recordKey struct {
	system string
	time   int64
	body   string
}

func readTruth(file string) (truth, error) {
	t := truth{entries: map[string][]sentLog{}, records: map[recordKey][]sentLog{}}
	err := eachLine(file, func(line []byte) error {
		var s sentLog
		if err := json.Unmarshal(line, &s); err != nil {
			return err
		}
		t.add(s)
		return nil
	})
	return t, err
}

func (t truth) add(s sentLog) {
	if s.File != "" {
		t.entries[s.File] = append(t.entries[s.File], s)
		return
	}
	key := recordKey{s.System, s.Time, s.Text}
	t.records[key] = append(t.records[key], s)
}

// takeEntry returns the truth about a record of a file, whose body is a part of the entry's text, up to content that
// was replaced. Its lines are: in the text each may have a header of its own.
// Records that waited for their span come later than others, so entries of the record's
// millisecond are preferred. An empty body is a part of every text, but of no entry of tcgen.
func (t truth) takeEntry(file string, r receivedLog) (s sentLog, ok bool) {
	left := t.entries[file]
	kept, _, _ := strings.Cut(r.body, content.Redacted)
	if kept == "" {
		kept = scenario.Content // the body was nothing else
	}
	matches := func(s sentLog) bool { return r.body != "" && hasLines(s.Text, kept) }
	i := slices.IndexFunc(left, func(s sentLog) bool {
		return matches(s) && uint64(s.Time)/1e6 == uint64(r.time)/1e6
	})
	if i < 0 {
		i = slices.IndexFunc(left, matches)
	}
	if i < 0 {
		return sentLog{}, false
	}
	s = left[i]
	t.entries[file] = slices.Delete(left, i, i+1)
	return s, true
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

// takeRecord returns the truth about a record that was sent over OTLP.
func (t truth) takeRecord(system string, r receivedLog) (s sentLog, ok bool) {
	key := recordKey{system, r.time, r.body}
	left := t.records[key]
	if len(left) == 0 {
		return sentLog{}, false
	}
	t.records[key] = left[1:]
	return left[0], true
}
