// SPDX-License-Identifier: Apache-2.0

package tracecontext

// Class is a set of the classes of keys.
type Class uint8

// The classes, the most trusted first.
const (
	Custom Class = 1 << iota // configured by the user
	Plain                    // trace_id, traceId, trace.id
	Vendor                   // dd.trace_id, X-Amzn-Trace-Id
	Parent                   // traceparent
	All    = Custom | Plain | Vendor | Parent
)

// Key is a key under which loggers write ids.
type Key struct {
	name   string
	format format
	class  Class
	style  int32 // a span counts only with the trace of the same style
	caller bool  // its span is the caller's
}

// format is how a value is written, and which parts of a statement it fills.
type format uint8

const (
	formatTrace        format = iota // 32 or 16 hexadecimal digits
	formatTraceTrimmed               // without leading zeros
	formatTraceDecimal
	formatTraceUUID
	formatTraceDatadog // decimal, or 32 hexadecimal digits
	formatTraceUpper   // 16 hexadecimal digits, the upper half of the trace id
	formatTraceGoogle
	formatSpan // 16 hexadecimal digits
	formatSpanTrimmed
	formatSpanDecimal
	formatTransaction // a transaction's id, which counts as the span's if there is no span
	formatFlags
	formatSampled
	formatTraceparent // the first of the headers, which fill all parts
	formatB3
	formatXRay
	formatUber
	formatCloudTrace
)

func (f format) isHeader() bool { return f >= formatTraceparent }

// style is a group of keys whose values make one statement.
type style struct {
	class  Class
	caller bool // their span is the caller's
	keys   []spelling
}

// spelling is the keys, separated by spaces, that hold one part of a statement.
type spelling struct {
	format format
	names  string
}

// headerAttribute is the prefix that the semantic conventions give attributes that hold a
// request header.
const headerAttribute = "http.request.header."

var styles = [...]style{
	{Plain, false, []spelling{
		{formatTrace, "trace_id"}, {formatSpan, "span_id"}, {formatFlags, "trace_flags"}, {formatSampled, "trace_sampled"}}},
	{Plain, false, []spelling{
		{formatTrace, "traceId traceID"}, {formatSpan, "spanId spanID"}, {formatFlags, "traceFlags"}}},
	{Plain, false, []spelling{
		{formatTrace, "TraceId TraceID"}, {formatSpan, "SpanId SpanID"}, {formatFlags, "TraceFlags"}}},
	{Plain, false, []spelling{
		{formatTrace, "traceid"}, {formatSpan, "spanid"}, {formatFlags, "traceflags"}}},
	{Plain, false, []spelling{
		{formatTrace, "trace-id"}, {formatSpan, "span-id"}, {formatFlags, "trace-flags"}}},
	{Plain, false, []spelling{
		{formatTrace, "otelTraceID"}, {formatSpan, "otelSpanID"}, {formatSampled, "otelTraceSampled"}}},
	{Plain, false, []spelling{
		{formatTrace, "otel_trace_id"}, {formatSpan, "otel_span_id"}}},
	{Plain, false, []spelling{
		{formatTrace, "@tr"}, {formatSpan, "@sp"}}},
	{Plain, false, []spelling{
		{formatTrace, "trace.id"}, {formatSpan, "span.id"}, {formatTransaction, "transaction.id"}}},

	{Vendor, false, []spelling{
		{formatTraceDatadog, "dd.trace_id"}, {formatSpanDecimal, "dd.span_id"}, {formatTraceUpper, "_dd.p.tid"}}},
	{Vendor, false, []spelling{
		{formatTraceGoogle, "logging.googleapis.com/trace"}, {formatSpan, "logging.googleapis.com/spanId"},
		{formatSampled, "logging.googleapis.com/trace_sampled"}}},
	// As fields of a log, these hold the ids of the record's own span.
	{Vendor, false, []spelling{
		{formatTraceTrimmed, "X-B3-TraceId x-b3-traceid"}, {formatSpanTrimmed, "X-B3-SpanId x-b3-spanid"},
		{formatSampled, "X-B3-Sampled x-b3-sampled"}}},
	{Vendor, true, []spelling{
		{formatTraceTrimmed, headerAttribute + "x-b3-traceid"}, {formatSpanTrimmed, headerAttribute + "x-b3-spanid"},
		{formatSampled, headerAttribute + "x-b3-sampled"}}},
	{Vendor, true, []spelling{{formatB3, "b3 " + headerAttribute + "b3"}}},
	{Vendor, true, []spelling{{formatUber, "Uber-Trace-Id uber-trace-id " + headerAttribute + "uber-trace-id"}}},
	{Vendor, true, []spelling{
		{formatCloudTrace, "X-Cloud-Trace-Context x-cloud-trace-context " + headerAttribute + "x-cloud-trace-context"}}},
	{Vendor, true, []spelling{
		{formatXRay, xrayHeader + " x-amzn-trace-id xray_trace_id xrayTraceId " + headerAttribute + "x-amzn-trace-id"}}},

	{Parent, true, []spelling{{formatTraceparent, "traceparent Traceparent " + headerAttribute + "traceparent"}}},
}

// xrayHeader is the key whose value Scan recognises even without the key.
const xrayHeader = "X-Amzn-Trace-Id"

// The styles after those in the list: Spring's brackets, which have no key, and then one for
// each group of custom keys.
const (
	springStyle = int32(len(styles)) + iota
	customStyles
)
