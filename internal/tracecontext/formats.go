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

// style is a group of keys whose values make one statement.
type style struct {
	class  Class
	caller bool // their span is the caller's
	keys   []spelling
}

// spelling is the keys, separated by spaces, whose values have a format.
type spelling struct {
	format *format
	names  string
}

// headerAttribute is the prefix that the semantic conventions give attributes that hold a
// request header.
const headerAttribute = "http.request.header."

// xrayHeader is the key whose value Scan recognises even without the key.
const xrayHeader = "X-Amzn-Trace-Id"

var styles = [...]style{
	{Plain, false, []spelling{
		{&traceHex, "trace_id"}, {&spanHex, "span_id"}, {&flagsHex, "trace_flags"}, {&flagsSampled, "trace_sampled"}}},
	{Plain, false, []spelling{
		{&traceHex, "traceId traceID"}, {&spanHex, "spanId spanID"}, {&flagsHex, "traceFlags"}}},
	{Plain, false, []spelling{
		{&traceHex, "TraceId TraceID"}, {&spanHex, "SpanId SpanID"}, {&flagsHex, "TraceFlags"}}},
	{Plain, false, []spelling{
		{&traceHex, "traceid"}, {&spanHex, "spanid"}, {&flagsHex, "traceflags"}}},
	{Plain, false, []spelling{
		{&traceHex, "trace-id"}, {&spanHex, "span-id"}, {&flagsHex, "trace-flags"}}},
	{Plain, false, []spelling{
		{&traceHex, "otelTraceID"}, {&spanHex, "otelSpanID"}, {&flagsSampled, "otelTraceSampled"}}},
	{Plain, false, []spelling{
		{&traceHex, "otel_trace_id"}, {&spanHex, "otel_span_id"}}},
	{Plain, false, []spelling{
		{&traceHex, "@tr"}, {&spanHex, "@sp"}}},
	{Plain, false, []spelling{
		{&traceHex, "trace.id"}, {&spanHex, "span.id"}, {&transaction, "transaction.id"}}},

	{Vendor, false, []spelling{
		{&traceDatadog, "dd.trace_id"}, {&spanDecimal, "dd.span_id"}, {&traceUpper, "_dd.p.tid"}}},
	{Vendor, false, []spelling{
		{&traceGoogle, "logging.googleapis.com/trace"}, {&spanHex, "logging.googleapis.com/spanId"},
		{&flagsSampled, "logging.googleapis.com/trace_sampled"}}},
	// As fields of a log, these hold the ids of the record's own span.
	{Vendor, false, []spelling{
		{&traceTrimmed, "X-B3-TraceId x-b3-traceid"}, {&spanTrimmed, "X-B3-SpanId x-b3-spanid"},
		{&flagsSampled, "X-B3-Sampled x-b3-sampled"}}},
	{Vendor, true, []spelling{
		{&traceTrimmed, headerAttribute + "x-b3-traceid"}, {&spanTrimmed, headerAttribute + "x-b3-spanid"},
		{&flagsSampled, headerAttribute + "x-b3-sampled"}}},
	{Vendor, true, []spelling{{&headerB3, "b3 " + headerAttribute + "b3"}}},
	{Vendor, true, []spelling{{&headerUber, "Uber-Trace-Id uber-trace-id " + headerAttribute + "uber-trace-id"}}},
	{Vendor, true, []spelling{
		{&headerCloudTrace, "X-Cloud-Trace-Context x-cloud-trace-context " + headerAttribute + "x-cloud-trace-context"}}},
	{Vendor, true, []spelling{
		{&headerXRay, xrayHeader + " x-amzn-trace-id xray_trace_id xrayTraceId " + headerAttribute + "x-amzn-trace-id"}}},

	{Parent, true, []spelling{{&headerTraceparent, "traceparent Traceparent " + headerAttribute + "traceparent"}}},
}

// format is how the values of a key are written.
type format struct {
	parse func(text string) (parts, Reason)
	// scalar parses a number or a boolean, as JSON writes it. It is nil if none has the format.
	scalar func(text string) (parts, Reason)
	// unknown is what stays unknown after a value that is rejected.
	unknown  part
	isHeader bool
}

// The formats of trace ids, of span ids, of flags, and of propagation headers, which fill all parts.
var (
	traceHex     = format{parse: traceIn(hexTrace), unknown: partTrace}
	traceTrimmed = format{parse: traceIn(trimmedTrace), unknown: partTrace}
	traceUUID    = format{parse: traceIn(uuidTrace), unknown: partTrace}
	traceGoogle  = format{parse: traceIn(googleTrace), unknown: partTrace}
	traceDecimal = format{parse: traceIn(decimalTrace), scalar: traceIn(decimalTrace), unknown: partTrace}
	traceDatadog = format{parse: traceIn(datadogTrace), scalar: traceIn(decimalTrace), unknown: partTrace}
	traceUpper   = format{parse: upperHalf, unknown: partUpper}

	spanHex     = format{parse: spanIn(hexSpan), unknown: partSpan}
	spanTrimmed = format{parse: spanIn(trimmedSpan), unknown: partSpan}
	spanDecimal = format{parse: spanIn(decimal), scalar: spanIn(decimal), unknown: partSpan}
	transaction = format{parse: transactionID}

	flagsHex     = format{parse: hexFlags, scalar: decimalFlags}
	flagsSampled = format{parse: sampledFlag, scalar: sampledFlag}

	headerTraceparent = format{parse: traceparent, unknown: partTrace, isHeader: true}
	headerB3          = format{parse: b3, unknown: partTrace, isHeader: true}
	headerXRay        = format{parse: xray, unknown: partTrace, isHeader: true}
	headerUber        = format{parse: uber, unknown: partTrace, isHeader: true}
	headerCloudTrace  = format{parse: cloudTrace, unknown: partTrace, isHeader: true}
)

func traceIn(parse func(string) (trace, Reason)) func(string) (parts, Reason) {
	return func(text string) (parts, Reason) {
		id, why := parse(text)
		return parts{has: partTrace, trace: id}, why
	}
}

func spanIn(parse func(string) (uint64, Reason)) func(string) (parts, Reason) {
	return func(text string) (parts, Reason) {
		id, why := parse(text)
		return parts{has: partSpan, span: id}, why
	}
}

// upperHalf parses the upper half of a trace id. Zeros and placeholders mean an id of 64 bits.
func upperHalf(text string) (p parts, why Reason) {
	half, why := hexSpan(text)
	if why == Zero || why == Placeholder {
		return parts{}, Accepted
	}
	return parts{has: partUpper, upper: half}, why
}

func transactionID(text string) (parts, Reason) {
	id, why := hexSpan(text)
	return parts{has: partTransaction, transaction: id}, why
}
