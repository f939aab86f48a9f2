package runtimelogreceiver

import (
	"bytes"
	"encoding/hex"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/stanza/fileconsumer/attrs"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/otelcol-tc/otelcol-tc/conventions/logformat"
	"github.com/otelcol-tc/otelcol-tc/internal/tracecontext"
)

// batch is what one read of a file delivers. Records stay in the order of the file:
// where the resource changes, another group begins.
type batch struct {
	*runtimeLog
	file     *file
	now      time.Time
	observed pcommon.Timestamp
	// modified is when the file was last written, which no record in it is after.
	modified time.Time

	logs    plog.Logs
	records plog.LogRecordSlice // of the last group
	// stated and described are what records and packs say of the last group's resource.
	stated, described []logformat.Field
	tally             tally
}

func (r *runtimeLog) newBatch(f *file) *batch {
	now := time.Now()
	b := &batch{runtimeLog: r, file: f, now: now, observed: pcommon.NewTimestampFromTime(now), modified: now, logs: plog.NewLogs()}
	if info, err := os.Stat(f.Path); err == nil {
		b.modified = info.ModTime()
	}
	return b
}

// add appends a record.
func (b *batch) add(rec record) {
	// What is not UTF-8 could not be sent on.
	text := strings.ToValidUTF8(string(rec.text), "\uFFFD")
	var format *logformat.Format
	if rec.format != nil {
		format = b.formats.Match(text, rec.format, &b.file.entry)
	}
	b.tally.add(format)
	if format == nil {
		b.group(nil, nil)
		out := b.appendRecord(0)
		out.Body().SetStr(text)
		return
	}
	entry := &b.file.entry
	b.group(format.Resource, entry.Resource)
	out := b.appendRecord(len(entry.Attributes))
	out.Body().SetStr(entry.Body)
	out.SetSeverityNumber(entry.Severity)
	out.SetSeverityText(entry.SeverityText)
	if !entry.Time.IsZero() {
		at := entry.Time.Resolve(b.location, b.modified, b.file.previous)
		b.file.previous = at
		out.SetTimestamp(pcommon.NewTimestampFromTime(at))
	}
	for _, a := range entry.Attributes {
		a.Put(out.Attributes())
	}
	b.putIDs(out, entry.IDs)
}

// appendRecord adds a record with what all have, and room for more attributes.
func (b *batch) appendRecord(more int) plog.LogRecord {
	out := b.records.AppendEmpty()
	out.SetObservedTimestamp(b.observed)
	out.Attributes().EnsureCapacity(more + 2)
	if b.config.IncludeFileName {
		out.Attributes().PutStr(attrs.LogFileName, b.file.name)
	}
	if b.config.IncludeFilePath {
		out.Attributes().PutStr(attrs.LogFilePath, b.file.Path)
	}
	return out
}

// putIDs sets the ids that the record's text states. Fields that do not agree, or are
// no ids, stay as attributes.
func (b *batch) putIDs(out plog.LogRecord, stated []logformat.Field) {
	fields := &b.file.fields
	fields.Reset()
	for _, id := range stated {
		fields.Add(id.Key, id.Value)
	}
	ids, agree := fields.Decide()
	if agree {
		out.SetTraceID(ids.TraceID)
		out.SetSpanID(ids.SpanID)
		if ids.HasFlags {
			out.SetFlags(plog.LogRecordFlags(ids.Flags))
		}
	}
	for _, id := range stated {
		if !agree || !settled(ids, id.Value) {
			out.Attributes().PutStr(id.Key, id.Value)
		}
	}
}

// group makes the last group one of the resource of a record: what the settings say of
// the file, what the record states itself, and what its format's pack says.
func (b *batch) group(described, stated []logformat.Field) {
	if b.logs.ResourceLogs().Len() > 0 && slices.Equal(stated, b.stated) && slices.Equal(described, b.described) {
		return
	}
	b.stated, b.described = slices.Clone(stated), described
	group := b.logs.ResourceLogs().AppendEmpty()
	attributes := group.Resource().Attributes()
	attributes.EnsureCapacity(len(b.file.resource) + len(stated) + len(described))
	putMissing(attributes, b.file.resource)
	putMissing(attributes, stated)
	putMissing(attributes, described)
	b.records = group.ScopeLogs().AppendEmpty().LogRecords()
}

func putMissing(to pcommon.Map, fields []logformat.Field) {
	for _, f := range fields {
		if _, ok := to.Get(f.Key); !ok {
			to.PutStr(f.Key, f.Value)
		}
	}
}

// settled tells that nothing is lost with a field: it says what the ids say, or that
// there is none.
func settled(ids tracecontext.IDs, value string) bool {
	return isHex(value, ids.TraceID[:]) || isHex(value, ids.SpanID[:]) || tracecontext.IsPlaceholder(value)
}

func isHex(text string, id []byte) bool {
	var decoded [len(pcommon.TraceID{})]byte
	if len(text) != hex.EncodedLen(len(id)) {
		return false
	}
	_, err := hex.Decode(decoded[:], []byte(text))
	return err == nil && bytes.Equal(decoded[:len(id)], id)
}
