// SPDX-License-Identifier: Apache-2.0

// Package attrvalue converts the values of attributes, and makes those of their copies.
package attrvalue

import (
	"math"
	"strconv"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-tc/otelcol-tc/conventions"
)

// maxExact is the limit below which a float64 represents every integer exactly.
const maxExact = 1 << 53

// Convert converts a value to another type if no information is lost, and reports whether it did.
func Convert(value pcommon.Value, want conventions.ValueType) bool {
	switch want {
	case conventions.TypeString:
		switch value.Type() {
		case pcommon.ValueTypeInt, pcommon.ValueTypeDouble, pcommon.ValueTypeBool:
			value.SetStr(value.AsString())
			return true
		}
	case conventions.TypeInt:
		n, ok := exactInt(value)
		if ok {
			value.SetInt(n)
		}
		return ok
	case conventions.TypeDouble:
		f, ok := exactDouble(value)
		if ok {
			value.SetDouble(f)
		}
		return ok
	case conventions.TypeBool:
		// Python writes them with a capital letter.
		switch text := value.Str(); text {
		case "true", "True", "false", "False":
			value.SetBool(text == "true" || text == "True")
			return true
		}
	}
	return false
}

// exactInt parses a decimal number, a hexadecimal number with 0x (a common form of thread ids), or a
// double without a fraction.
func exactInt(value pcommon.Value) (int64, bool) {
	switch value.Type() {
	case pcommon.ValueTypeStr:
		text := value.Str()
		if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			return n, plainInt(text)
		}
		if len(text) > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X') {
			n, err := strconv.ParseUint(text[2:], 16, 63)
			return int64(n), err == nil
		}
	case pcommon.ValueTypeDouble:
		f := value.Double()
		if f == math.Trunc(f) && math.Abs(f) <= maxExact {
			return int64(f), true
		}
	}
	return 0, false
}

// plainInt reports whether formatting the parsed number gives the same text. It returns false for 007, +7
// and -0.
func plainInt(text string) bool {
	digits := strings.TrimPrefix(text, "-")
	return text == "0" || '1' <= digits[0] && digits[0] <= '9'
}

// exactDouble parses a number if formatting it gives the same text, but for zeros at its end: 0.70 is 0.7. Python
// writes small and large numbers with an exponent.
func exactDouble(value pcommon.Value) (float64, bool) {
	switch value.Type() {
	case pcommon.ValueTypeStr:
		text := value.Str()
		f, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return 0, false
		}
		if strings.Contains(text, ".") && !strings.ContainsAny(text, "eE") {
			text = strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
		}
		return f, strconv.FormatFloat(f, 'f', -1, 64) == text || strconv.FormatFloat(f, 'e', -1, 64) == text
	case pcommon.ValueTypeInt:
		n := value.Int()
		return float64(n), -maxExact <= n && n <= maxExact
	}
	return 0, false
}

// TypeOf returns what pdata calls the type that a rule asks for.
func TypeOf(want conventions.ValueType) pcommon.ValueType {
	switch want {
	case conventions.TypeString:
		return pcommon.ValueTypeStr
	case conventions.TypeInt:
		return pcommon.ValueTypeInt
	case conventions.TypeDouble:
		return pcommon.ValueTypeDouble
	default:
		return pcommon.ValueTypeBool
	}
}
