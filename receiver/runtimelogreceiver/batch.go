// SPDX-License-Identifier: Apache-2.0

package runtimelogreceiver

import (
	"bytes"
	"encoding/hex"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/otelcol-tc/otelcol-tc/conventions/logformat"
	"github.com/otelcol-tc/otelcol-tc/internal/tracecontext"
	"github.com/otelcol-tc/otelcol-tc/receiver/runtimelogreceiver/internal/assemble"
)

// The attributes of records, from the semantic conventions.
const (
	fileNameKey = "log.file.name"
	filePathKey = "log.file.path"
	streamKey   = "log.iostream"
	serviceKey  = "service.name"
)

// batch is what one read of a file delivers. It keeps the texts rather than the log records,
// because the pipeline owns the records that it receives: each attempt to deliver needs new
// ones.
type batch struct {
	*file
	now     time.Time
	entries []entry
}

// entry is a record with its text as valid UTF-8.
type entry struct {
	assemble.Record

	text string
}

func newBatch(f *file) *batch { return &batch{file: f, now: time.Now()} }

// newRead returns a batch with room for the lines of a text.
func newRead(f *file, text []byte) *batch {
	b := newBatch(f)
	b.entries = make([]entry, 0, bytes.Count(text, []byte{'\n'})+1)
	return b
}

// add adds an entry in the order of the first lines. A record that other processes' lines interrupt is
// complete after theirs.
func (b *batch) add(rec assemble.Record) {
	index := len(b.entries)
	for index > 0 && b.entries[index-1].Number > rec.Number {
		index--
	}
	text := validUTF8(string(rec.Text))
	rec.Text = nil // valid until the next call of the assembler
	b.entries = slices.Insert(b.entries, index, entry{rec, text})
}

// validUTF8 replaces invalid UTF-8 by U+FFFD. Backends refuse a whole batch if one text is not
// valid UTF-8.
func validUTF8(text string) string {
	if utf8.ValidString(text) { // much faster than to look for what to replace
		return text
	}
	return strings.ToValidUTF8(text, "\uFFFD")
}

// render creates log records from the entries. The file keeps nothing of it until the records are
// delivered: each attempt begins in the same state.
func (b *batch) render() *rendering {
	r := &rendering{batch: b, logs: plog.NewLogs(), observed: pcommon.NewTimestampFromTime(b.now), previous: b.previous, pack: b.pack, tally: tally{}}
	// What is written before the first line of a pack belongs to the same program.
	for i := range b.entries {
		if f := b.entries[i].Format; f != nil && f.System != "" && (r.pack == nil || !named(r.pack) && named(f)) {
			r.pack = f
		}
	}
	for i := range b.entries {
		r.add(&b.entries[i])
	}
	return r
}

// rendering is the state of render. Records keep the order of the file: where the resource
// changes, a new group begins.
type rendering struct {
	*batch
	observed pcommon.Timestamp
	// previous is the time of the previous record.
	previous time.Time
	// pack is the last format of a pack, in this batch or in an earlier one.
	pack *logformat.Format

	logs    plog.Logs
	records plog.LogRecordSlice // of the last group
	// stated and described are the resource attributes of the last group, from records and from
	// packs.
	stated, described []logformat.Field
	tally             tally
}

func (r *rendering) add(e *entry) {
	parsed := &r.entry
	parsed.Reset()
	var format *logformat.Format
	if e.Format != nil {
		format = r.receiver.formats.Parse(e.text, e.Format, parsed)
	}
	r.tally[format]++
	r.receiver.formats.PutPrefix(e.Prefix, parsed)
	if format == nil {
		parsed.Body, parsed.Severity = e.text, assemble.SeverityOf(e.text)
	}
	r.group(r.describe(e, format), parsed.Resource)
	out := r.appendRecord(e, len(parsed.Attributes))
	out.Body().SetStr(parsed.Body)
	out.SetSeverityNumber(parsed.Severity)
	out.SetSeverityText(parsed.SeverityText)
	if !parsed.Time.IsZero() {
		r.previous = parsed.Time.Resolve(r.receiver.location, r.newest(e), r.previous)
		out.SetTimestamp(pcommon.NewTimestampFromTime(r.previous))
	}
	for _, a := range parsed.Attributes {
		a.Put(out.Attributes())
	}
	r.putIDs(out, parsed.IDs)
}

// describe returns the resource attributes that a pack gives to a record: that of its format, else of its
// prefix, else of the lines before it. A library's lines, whose pack names no service, are the file's.
func (r *rendering) describe(e *entry, format *logformat.Format) []logformat.Field {
	pack := r.pack
	switch {
	case format != nil && format.System != "":
		if pack == nil || named(format) || !named(pack) {
			pack, r.pack = format, format
		}
	case e.Pack != nil && (pack == nil || named(e.Pack)):
		pack = e.Pack
	}
	if pack == nil {
		return nil
	}
	return pack.Resource
}

func named(format *logformat.Format) bool {
	return slices.ContainsFunc(format.Resource, func(f logformat.Field) bool { return f.Key == serviceKey })
}

// newest returns the latest time that an entry can have: when the container runtime received
// it, or when the file was last written.
func (r *rendering) newest(e *entry) time.Time {
	switch {
	case !e.Written.IsZero():
		return e.Written
	case !r.position.Modified.IsZero():
		return r.position.Modified
	}
	return r.now
}

// appendRecord appends a record with the common attributes, and room for more.
func (r *rendering) appendRecord(e *entry, more int) plog.LogRecord {
	out := r.records.AppendEmpty()
	out.SetObservedTimestamp(r.observed)
	if !e.Written.IsZero() {
		out.SetTimestamp(pcommon.NewTimestampFromTime(e.Written))
	}
	out.Attributes().EnsureCapacity(more + 3)
	if r.receiver.config.IncludeFileName {
		out.Attributes().PutStr(fileNameKey, r.name)
	}
	if r.receiver.config.IncludeFilePath {
		out.Attributes().PutStr(filePathKey, r.path)
	}
	if e.Stream != "" {
		out.Attributes().PutStr(streamKey, e.Stream)
	}
	return out
}

// putIDs sets the ids that the text of a record states. Fields that conflict or are invalid
// stay as attributes.
func (r *rendering) putIDs(out plog.LogRecord, stated []logformat.Field) {
	fields := &r.fields
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
		if !agree || !redundant(ids, id.Value) {
			out.Attributes().PutStr(id.Key, id.Value)
		}
	}
}

// group begins a new group if the resource of a record differs from the last group's.
// Attributes from the configuration have priority, then those in the record, then those of the file's
// pack. The service's name is last that of the path, but not for a pod: k8s_attributes knows it.
func (r *rendering) group(described, stated []logformat.Field) {
	if r.logs.ResourceLogs().Len() > 0 && slices.Equal(stated, r.stated) && slices.Equal(described, r.described) {
		return
	}
	r.stated, r.described = slices.Clone(stated), described
	group := r.logs.ResourceLogs().AppendEmpty()
	attributes := group.Resource().Attributes()
	attributes.EnsureCapacity(len(r.resource) + len(stated) + len(described) + 1)
	putMissing(attributes, r.resource)
	putMissing(attributes, stated)
	for _, field := range described {
		if field.Key == serviceKey {
			field.Key = r.receiver.config.PackService
		}
		putMissing(attributes, []logformat.Field{field})
	}
	if !r.pod && r.service != "" {
		putMissing(attributes, []logformat.Field{{Key: serviceKey, Value: r.service}})
	}
	r.records = group.ScopeLogs().AppendEmpty().LogRecords()
}

func putMissing(to pcommon.Map, fields []logformat.Field) {
	for _, f := range fields {
		if _, ok := to.Get(f.Key); !ok {
			to.PutStr(f.Key, f.Value)
		}
	}
}

// redundant reports whether a field adds nothing to the ids: it equals one of them, or is a
// placeholder.
func redundant(ids tracecontext.IDs, value string) bool {
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
