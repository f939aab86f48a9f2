// SPDX-License-Identifier: Apache-2.0

package logcorrelationprocessor

import (
	"encoding/hex"
	"fmt"
	"math/big"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
)

// content is every text and number of a record, in lower case, written out
// with nothing of the processor's code.
func content(record plog.LogRecord) string {
	var b strings.Builder
	var write func(pcommon.Value)
	write = func(v pcommon.Value) {
		switch v.Type() {
		case pcommon.ValueTypeMap:
			for key, value := range v.Map().All() {
				b.WriteString(key + "=")
				write(value)
			}
		case pcommon.ValueTypeSlice:
			for _, value := range v.Slice().All() {
				write(value)
			}
		case pcommon.ValueTypeInt:
			fmt.Fprint(&b, v.Int())
		case pcommon.ValueTypeStr:
			b.WriteString(v.Str())
		}
		b.WriteString("\n")
	}
	for key, value := range record.Attributes().All() {
		b.WriteString(key + "=")
		write(value)
	}
	write(record.Body())
	return strings.ToLower(b.String())
}

// traceIsIn says whether a trace id is written in a content in one of the forms in
// which it may be: with its leading zeros or without, decimal, in two halves, AWS's or
// a UUID's. The halves of Datadog's may be anywhere.
func traceIsIn(content string, id pcommon.TraceID) bool {
	digits := hex.EncodeToString(id[:])
	lower, upper := decimalOf(digits[16:]), digits[:16]
	inHalves := strings.Contains(content, lower) && (upper == zeros16 || strings.Contains(content, upper))
	return strings.Contains(content, strings.TrimLeft(digits, "0")) || inHalves ||
		strings.Contains(content, "1-"+digits[:8]+"-"+digits[8:]) ||
		strings.Contains(content, strings.Join([]string{digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]}, "-"))
}

func spanIsIn(content string, id pcommon.SpanID) bool {
	digits := hex.EncodeToString(id[:])
	return strings.Contains(content, strings.TrimLeft(digits, "0")) || strings.Contains(content, decimalOf(digits))
}

const zeros16 = "0000000000000000"

func decimalOf(digits string) string {
	n, _ := new(big.Int).SetString(digits, 16)
	return n.String()
}
