// Package coerce gives values other types.
package coerce

import (
	"math"
	"strconv"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-tc/otelcol-tc/conventions"
)

// maxExact is the largest integer below which every integer is a float64.
const maxExact = 1 << 53

// Value gives a value another type where that loses nothing, and reports whether
// it did.
func Value(value pcommon.Value, want conventions.ValueType) bool {
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
		if value.Type() == pcommon.ValueTypeStr && (value.Str() == "true" || value.Str() == "false") {
			value.SetBool(value.Str() == "true")
			return true
		}
	}
	return false
}

// exactInt reads a decimal number, a hexadecimal one with 0x (a thread id's
// usual form), or a double without a fraction.
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

// plainInt reports whether a decimal number is written the usual way: 007, +7 and -0
// would not come back.
func plainInt(text string) bool {
	digits := strings.TrimPrefix(text, "-")
	return text == "0" || '1' <= digits[0] && digits[0] <= '9'
}

// exactDouble reads a number that comes back as it is written.
func exactDouble(value pcommon.Value) (float64, bool) {
	switch value.Type() {
	case pcommon.ValueTypeStr:
		text := value.Str()
		f, err := strconv.ParseFloat(text, 64)
		return f, err == nil && strconv.FormatFloat(f, 'f', -1, 64) == text
	case pcommon.ValueTypeInt:
		n := value.Int()
		return float64(n), -maxExact <= n && n <= maxExact
	}
	return 0, false
}
