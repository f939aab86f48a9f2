// SPDX-License-Identifier: Apache-2.0

package wire

// Signal is the kind of telemetry that a request exports.
type Signal uint8

// The signals. Unknown is none of them.
const (
	Unknown Signal = iota
	Traces
	Metrics
	Logs
)

// String returns the signal's name.
func (s Signal) String() string {
	switch s {
	case Traces:
		return "traces"
	case Metrics:
		return "metrics"
	case Logs:
		return "logs"
	default:
		return "unknown"
	}
}

// kind is what a field holds: a message of OTLP, or an element of an array.
type kind uint8

const (
	opaque  kind = iota // one string, number or id, which needs no extra memory
	text                // one of several strings
	varints             // one or more numbers, which take more memory decoded than encoded
	// The kinds from here on are messages.
	traceRequest
	metricsRequest
	logsRequest
	resourceSpans
	resourceMetrics
	resourceLogs
	scopeSpans
	scopeMetrics
	scopeLogs
	resource
	scope
	entityRef
	keyValue
	anyValue
	arrayValue
	keyValueList
	span
	event
	link
	status
	logRecord
	metric
	gauge
	sum
	histogram
	exponentialHistogram
	summary
	numberPoint
	histogramPoint
	exponentialPoint
	buckets
	summaryPoint
	quantile
	exemplar
	kinds
)

// maxField is the highest number of a field that holds a message, except deprecatedField.
const maxField = 16

// deprecatedField is the field in which old senders put scopes. It is stored as field 0, which
// does not exist.
const deprecatedField = 1000

// fields has the kinds of each message's fields. The numbers are from OTLP's protobuf
// definitions.
var fields = [kinds][maxField + 1]kind{
	traceRequest:         {1: resourceSpans},
	metricsRequest:       {1: resourceMetrics},
	logsRequest:          {1: resourceLogs},
	resourceSpans:        {0: scopeSpans, 1: resource, 2: scopeSpans},
	resourceMetrics:      {0: scopeMetrics, 1: resource, 2: scopeMetrics},
	resourceLogs:         {0: scopeLogs, 1: resource, 2: scopeLogs},
	scopeSpans:           {1: scope, 2: span},
	scopeMetrics:         {1: scope, 2: metric},
	scopeLogs:            {1: scope, 2: logRecord},
	resource:             {1: keyValue, 3: entityRef},
	scope:                {3: keyValue},
	entityRef:            {3: text, 4: text},
	keyValue:             {2: anyValue},
	anyValue:             {5: arrayValue, 6: keyValueList},
	arrayValue:           {1: anyValue},
	keyValueList:         {1: keyValue},
	span:                 {9: keyValue, 11: event, 13: link, 15: status},
	event:                {3: keyValue},
	link:                 {4: keyValue},
	logRecord:            {5: anyValue, 6: keyValue},
	metric:               {5: gauge, 7: sum, 9: histogram, 10: exponentialHistogram, 11: summary, 12: keyValue},
	gauge:                {1: numberPoint},
	sum:                  {1: numberPoint},
	histogram:            {1: histogramPoint},
	exponentialHistogram: {1: exponentialPoint},
	summary:              {1: summaryPoint},
	numberPoint:          {5: exemplar, 7: keyValue},
	histogramPoint:       {8: exemplar, 9: keyValue},
	exponentialPoint:     {1: keyValue, 8: buckets, 9: buckets, 11: exemplar},
	buckets:              {2: varints},
	summaryPoint:         {6: quantile, 7: keyValue},
	exemplar:             {7: keyValue},
}

// weights are the bytes that each kind takes besides its strings: pdata's struct as the memory
// allocator rounds it, and its element in the slice that holds it. A message inside the struct
// of another has no weight. TestCheckerAgreesWithPdata compares the weights with pdata.
var weights = [kinds]int{
	text:                 16,
	varints:              8,
	resourceSpans:        136,
	resourceMetrics:      136,
	resourceLogs:         136,
	scopeSpans:           120,
	scopeMetrics:         120,
	scopeLogs:            120,
	entityRef:            88,
	keyValue:             40,
	anyValue:             32,
	arrayValue:           24,
	keyValueList:         24,
	span:                 216,
	event:                72,
	link:                 88,
	logRecord:            136,
	metric:               104,
	gauge:                32,
	sum:                  40,
	histogram:            40,
	exponentialHistogram: 40,
	summary:              32,
	numberPoint:          112,
	histogramPoint:       168,
	exponentialPoint:     200,
	summaryPoint:         104,
	quantile:             24,
	exemplar:             80,
}

func held(message kind, field int32) kind {
	if field <= maxField {
		return fields[message][field]
	}
	if field == deprecatedField {
		return fields[message][0]
	}
	return opaque
}

// request returns the message of a signal's request.
func (s Signal) request() kind {
	switch s {
	case Traces:
		return traceRequest
	case Metrics:
		return metricsRequest
	default:
		return logsRequest
	}
}
