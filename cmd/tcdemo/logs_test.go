// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
)

const (
	traceA, spanA = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
	traceB        = "4bf92f3577b34da6a3ce929d0e0e4736"
)

// sentLines is a truth as tcgen writes it: a record that TuFT sent twice, one outside
// spans, and a file with an entry for each way to state ids.
var sentLines = []string{
	`{"system":"tuft","file":"","index":0,"time":10,"text":"begin","trace_id":"` + traceA + `","span_id":"` + spanA + `","states":"native"}`,
	`{"system":"tuft","file":"","index":1,"time":10,"text":"begin","trace_id":"` + traceA + `","span_id":"` + spanA + `","states":"native"}`,
	`{"system":"tuft","file":"","index":2,"time":20,"text":"sweep","trace_id":"","span_id":"","states":"none"}`,
	entryLine("INFO a", traceA, spanA, "ids"),
	entryLine("INFO b", traceA, spanA, "trace"),
	entryLine(`INFO c\n  d`, traceA, spanA, "conflict"),
	entryLine("INFO e", "", "", "none"),
}

func entryLine(text, trace, span, states string) string {
	return fmt.Sprintf(`{"system":"fastdeploy","file":"fastdeploy_mixed-0_trace.log","index":0,"time":10,"text":"%s","trace_id":%q,"span_id":%q,"states":%q}`,
		text, trace, span, states)
}

// logsOut builds what the collector wrote about sentLines, which change may spoil.
func logsOut(change func(records plog.LogRecordSlice, entries plog.LogRecordSlice)) plog.Logs {
	logs := plog.NewLogs()
	tuft := logs.ResourceLogs().AppendEmpty()
	tuft.Resource().Attributes().PutStr("service.name", "tuft")
	records := tuft.ScopeLogs().AppendEmpty().LogRecords()
	appendLog(records, 10, "begin", traceA, spanA)
	appendLog(records, 10, "begin", traceA, spanA)
	appendLog(records, 20, "sweep", "", "")

	// What a resource says of a file makes no OTLP record of its entries.
	texts := logs.ResourceLogs().AppendEmpty()
	texts.Resource().Attributes().PutStr("service.name", "FastDeploy")
	entries := texts.ScopeLogs().AppendEmpty().LogRecords()
	appendLog(entries, 10, "a", traceA, spanA)
	appendLog(entries, 10, "b", traceA, "")
	appendLog(entries, 10, "c\n  d", "", "")
	appendLog(entries, 10, "e", "", "")
	for _, e := range entries.All() {
		e.Attributes().PutStr("log.file.name", "fastdeploy_mixed-0_trace.log")
	}
	change(records, entries)
	return logs
}

func appendLog(to plog.LogRecordSlice, at pcommon.Timestamp, body, trace, span string) {
	record := to.AppendEmpty()
	record.SetTimestamp(at)
	record.Body().SetStr(body)
	setIDs(record, trace, span)
}

func setIDs(record plog.LogRecord, trace, span string) {
	var traceID pcommon.TraceID
	var spanID pcommon.SpanID
	_, errTrace := hex.Decode(traceID[:], []byte(trace))
	_, errSpan := hex.Decode(spanID[:], []byte(span))
	if errTrace != nil || errSpan != nil {
		panic(errors.Join(errTrace, errSpan)) // a mistake in a test
	}
	record.SetTraceID(traceID)
	record.SetSpanID(spanID)
}

// reportLogs returns the table and the faults of what came out.
func reportLogs(t *testing.T, logs plog.Logs) (table string, faults error) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "sent-logs.json")
	if err := os.WriteFile(file, []byte(strings.Join(sentLines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	sent, err := readTruth(file)
	if err != nil {
		t.Fatal(err)
	}
	line, err := (&plog.JSONMarshaler{}).MarshalLogs(logs)
	if err != nil {
		t.Fatal(err)
	}
	got := newOutput()
	if err := got.logs(line); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	r := reporter{out: &out}
	if err := r.logs(correlate(sent, got.records, got.texts)); err != nil {
		t.Fatal(err)
	}
	return out.String(), errors.Join(r.faults...)
}

func TestLogTable(t *testing.T) {
	table, faults := reportLogs(t, logsOut(func(_, _ plog.LogRecordSlice) {}))
	if faults != nil {
		t.Errorf("faults: %v", faults)
	}
	for _, row := range [][]string{
		{"fastdeploy, trace text", "4 → 4", "0 → 2", "1 of 1 (100 %)", "1 of 3 (33 %)", "2 of 3 (66 %)"},
		{"tuft", "3 → 3", "2 → 2", "2 of 2 (100 %)", "2 of 2 (100 %)", "2 of 2 (100 %)"},
		{"all", "7 → 7", "2 → 4", "3 of 3 (100 %)", "3 of 5 (60 %)", "4 of 5 (80 %)"},
		{"0 in a wrong trace or span"},
	} {
		if want := strings.Join(row, "   "); !strings.Contains(squeeze(table), squeeze(want)) {
			t.Errorf("no row %q in:\n%s", want, table)
		}
	}
}

// squeeze makes one blank of many.
func squeeze(s string) string { return strings.Join(strings.Fields(s), " ") }

func TestLogFaults(t *testing.T) {
	f := func(want string, change func(records, entries plog.LogRecordSlice)) {
		t.Helper()
		_, faults := reportLogs(t, logsOut(change))
		if faults == nil || !strings.Contains(faults.Error(), want) {
			t.Errorf("faults: %v; want one with %q", faults, want)
		}
	}
	remove := func(from plog.LogRecordSlice, index int) {
		i := -1
		from.RemoveIf(func(plog.LogRecord) bool { i++; return i == index })
	}
	f("tuft: 3 logs in, 2 out", func(records, _ plog.LogRecordSlice) { remove(records, 1) })
	f("fastdeploy, trace text: 4 logs in, 3 out, of which 0 were not sent", func(_, entries plog.LogRecordSlice) { remove(entries, 1) })
	f("tuft: 3 logs in, 4 out, of which 1 were not sent", func(records, _ plog.LogRecordSlice) {
		records.At(2).CopyTo(records.AppendEmpty())
	})
	f("fastdeploy, trace text: 4 logs in, 5 out, of which 1 were not sent", func(_, entries plog.LogRecordSlice) {
		entries.At(3).CopyTo(entries.AppendEmpty())
	})
	f("fastdeploy, trace text: 4 logs in, 4 out, of which 1 were not sent", func(_, entries plog.LogRecordSlice) {
		entries.At(1).Body().SetStr("b and more")
	})
	f("fastdeploy, trace text: 4 logs in, 4 out, of which 1 were not sent", func(_, entries plog.LogRecordSlice) {
		entries.At(1).Body().SetStr("")
	})
	f(`1 logs with wrong ids; the first: ids "`+traceB+`" and "", not "`+traceA, func(_, entries plog.LogRecordSlice) {
		setIDs(entries.At(2), traceB, "")
	})
	f(`1 logs with wrong ids; the first: ids "`+traceA+`" and "`+spanA+`", not "" and ""`, func(records, _ plog.LogRecordSlice) {
		setIDs(records.At(2), traceA, spanA)
	})
	f("1 logs with wrong ids", func(_, entries plog.LogRecordSlice) { setIDs(entries.At(0), "", spanA) })
	f("fastdeploy, trace text: 1 logs state their span, 0 came out in it", func(_, entries plog.LogRecordSlice) {
		setIDs(entries.At(0), traceA, "")
	})
}
