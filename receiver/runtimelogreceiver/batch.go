package runtimelogreceiver

import (
	"bytes"
	"encoding/hex"
	"slices"
	"strings"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/otelcol-tc/otelcol-tc/conventions/logformat"
	"github.com/otelcol-tc/otelcol-tc/internal/tracecontext"
	"github.com/otelcol-tc/otelcol-tc/receiver/runtimelogreceiver/internal/assemble"
)

// The attributes of records, by the semantic conventions.
const (
	fileNameKey = "log.file.name"
	filePathKey = "log.file.path"
	streamKey   = "log.iostream"
)

// batch is what one read of a file delivers. It keeps the entries, not what is made of
// them: once given to the pipeline, that is the pipeline's, and each attempt to deliver
// needs its own.
type batch struct {
	*file
	now     time.Time
	entries []entry
}

// entry is a record's text.
type entry struct {
	text    string
	format  *logformat.Format // nil: unknown
	stream  string
	written time.Time
}

func newBatch(f *file) *batch { return &batch{file: f, now: time.Now()} }

// add appends an entry.
func (b *batch) add(rec assemble.Record) {
	b.entries = append(b.entries, entry{validUTF8(string(rec.Text)), rec.Format, rec.Stream, rec.Written})
}

// validUTF8 replaces what is not UTF-8. Receivers refuse a whole batch for one text that
// is not.
func validUTF8(text string) string { return strings.ToValidUTF8(text, "\uFFFD") }

// render makes records of the entries. It returns how many there are by format, and the
// time of the last one.
func (b *batch) render() (logs plog.Logs, counted tally, last time.Time) {
	r := &rendering{batch: b, logs: plog.NewLogs(), observed: pcommon.NewTimestampFromTime(b.now), previous: b.previous}
	for _, e := range b.entries {
		r.add(e)
	}
	return r.logs, r.tally, r.previous
}

// rendering is the making of a batch's records. They stay in the order of the file:
// where the resource changes, another group begins.
type rendering struct {
	*batch
	observed pcommon.Timestamp
	// previous is the time of the record before.
	previous time.Time

	logs    plog.Logs
	records plog.LogRecordSlice // of the last group
	// stated and described are what records and packs say of the last group's resource.
	stated, described []logformat.Field
	tally             tally
}

func (r *rendering) add(e entry) {
	parsed := &r.entry
	var format *logformat.Format
	if e.format != nil {
		format = r.receiver.formats.Match(e.text, e.format, parsed)
	}
	r.tally.add(format)
	if format == nil {
		r.group(nil, nil)
		out := r.appendRecord(e, 0)
		out.Body().SetStr(e.text)
		return
	}
	r.group(format.Resource, parsed.Resource)
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

// newest is what no time in an entry is after: when the container's runtime got it, or
// when the file was last written.
func (r *rendering) newest(e entry) time.Time {
	switch {
	case !e.written.IsZero():
		return e.written
	case !r.at.Modified.IsZero():
		return r.at.Modified
	}
	return r.now
}

// appendRecord adds a record with what all have, and room for more attributes.
func (r *rendering) appendRecord(e entry, more int) plog.LogRecord {
	out := r.records.AppendEmpty()
	out.SetObservedTimestamp(r.observed)
	if !e.written.IsZero() {
		out.SetTimestamp(pcommon.NewTimestampFromTime(e.written))
	}
	out.Attributes().EnsureCapacity(more + 3)
	if r.receiver.config.IncludeFileName {
		out.Attributes().PutStr(fileNameKey, r.name)
	}
	if r.receiver.config.IncludeFilePath {
		out.Attributes().PutStr(filePathKey, r.path)
	}
	if e.stream != "" {
		out.Attributes().PutStr(streamKey, e.stream)
	}
	return out
}

// putIDs sets the ids that the record's text states. Fields that do not agree, or are
// no ids, stay as attributes.
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

// group makes the last group one of the resource of a record: what the settings say of
// the file, what the record states itself, and what its format's pack says.
func (r *rendering) group(described, stated []logformat.Field) {
	if r.logs.ResourceLogs().Len() > 0 && slices.Equal(stated, r.stated) && slices.Equal(described, r.described) {
		return
	}
	r.stated, r.described = slices.Clone(stated), described
	group := r.logs.ResourceLogs().AppendEmpty()
	attributes := group.Resource().Attributes()
	attributes.EnsureCapacity(len(r.resource) + len(stated) + len(described))
	putMissing(attributes, r.resource)
	putMissing(attributes, stated)
	putMissing(attributes, described)
	r.records = group.ScopeLogs().AppendEmpty().LogRecords()
}

func putMissing(to pcommon.Map, fields []logformat.Field) {
	for _, f := range fields {
		if _, ok := to.Get(f.Key); !ok {
			to.PutStr(f.Key, f.Value)
		}
	}
}

// redundant reports whether nothing is lost with a field: it says what the ids say, or
// that there is none.
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
