package tracecontext

// Class is a set of the kinds of keys, of which each has its rank.
type Class uint8

// The classes in the order of their ranks.
const (
	Own    Class = 1 << iota // that the user has named
	Plain                    // trace_id, traceId, trace.id
	Vendor                   // dd.trace_id, X-Amzn-Trace-Id
	Parent                   // traceparent
	All    = Own | Plain | Vendor | Parent
)

// Key is one key that ids are found under.
type Key struct {
	name   string
	format format
	class  Class
	style  int32  // a span counts with the trace of its style only
	caller bool   // what it says of the span is about the caller's
	ends   uint16 // the first and the last byte of the name
}

// format is how a value is written, and which parts of a statement it has.
type format uint8

const (
	formatTrace        format = iota // 32 or 16 hexadecimal digits
	formatTraceTrimmed               // without leading zeros
	formatTraceDecimal
	formatTraceUUID
	formatTraceDatadog // decimal, or 32 hexadecimal digits
	formatTraceUpper   // 16 hexadecimal digits, the upper half
	formatTraceGoogle
	formatSpan // 16 hexadecimal digits
	formatSpanTrimmed
	formatSpanDecimal
	formatTransaction // a span's id, for when there is no span
	formatFlags
	formatSampled
	formatTraceparent // the first of the headers, which have all parts
	formatB3
	formatXRay
	formatUber
	formatCloudTrace
)

// digits is how many digits an id in hexadecimal mostly has, 0 for other values.
func (f format) digits() int {
	switch f {
	case formatTrace:
		return traceDigits
	case formatSpan:
		return spanDigits
	}
	return 0
}

func (f format) isHeader() bool { return f >= formatTraceparent }

// style is the keys that make one statement.
type style struct {
	class  Class
	caller bool // what it says of the span is about the caller's
	keys   []spelling
}

// spelling is names that a part of a statement has, with spaces between them.
type spelling struct {
	format format
	names  string
}

// captured is how the semantic conventions name an attribute that holds a header.
const captured = "http.request.header."

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
	// Where they are a log's fields, these are the span's own.
	{Vendor, false, []spelling{
		{formatTraceTrimmed, "X-B3-TraceId x-b3-traceid"}, {formatSpanTrimmed, "X-B3-SpanId x-b3-spanid"},
		{formatSampled, "X-B3-Sampled x-b3-sampled"}}},
	{Vendor, true, []spelling{
		{formatTraceTrimmed, captured + "x-b3-traceid"}, {formatSpanTrimmed, captured + "x-b3-spanid"},
		{formatSampled, captured + "x-b3-sampled"}}},
	{Vendor, true, []spelling{{formatB3, "b3 " + captured + "b3"}}},
	{Vendor, true, []spelling{{formatUber, "Uber-Trace-Id uber-trace-id " + captured + "uber-trace-id"}}},
	{Vendor, true, []spelling{
		{formatCloudTrace, "X-Cloud-Trace-Context x-cloud-trace-context " + captured + "x-cloud-trace-context"}}},
	{Vendor, true, []spelling{
		{formatXRay, xrayHeader + " x-amzn-trace-id xray_trace_id xrayTraceId " + captured + "x-amzn-trace-id"}}},

	{Parent, true, []spelling{{formatTraceparent, "traceparent Traceparent " + captured + "traceparent"}}},
}

// xrayHeader is the key whose value is recognised without it in a text.
const xrayHeader = "X-Amzn-Trace-Id"

// The styles after these: of Spring's brackets, which have no key, and then those
// that users have named.
const (
	springStyle = int32(len(styles)) + iota
	ownStyles
)
