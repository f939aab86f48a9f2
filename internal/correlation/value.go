// SPDX-License-Identifier: Apache-2.0

package correlation

import (
	"math"
	"strconv"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-tc/otelcol-tc/conventions/linking"
	"github.com/otelcol-tc/otelcol-tc/internal/tracecontext"
)

// AddValue adds a key's value, normalised. It returns false for what cannot be a key's value: maps,
// and what stands for no value, such as 0, 0x0, - and none.
func (w *Writer) AddValue(value pcommon.Value, n *linking.Normalise) bool {
	stands := false
	switch value.Type() {
	case pcommon.ValueTypeStr:
		return w.AddText(value.Str(), n)
	case pcommon.ValueTypeInt:
		stands = value.Int() != 0
	case pcommon.ValueTypeDouble:
		stands = value.Double() != 0 && !math.IsNaN(value.Double())
	case pcommon.ValueTypeBytes:
		stands = strings.Trim(string(value.Bytes().AsRaw()), "\x00") != ""
	}
	if stands {
		w.addAny(value)
	}
	return stands
}

// AddText adds a key's value as AddValue does.
func (w *Writer) AddText(text string, n *linking.Normalise) bool {
	text = n.Apply(text)
	if IsNull(text) {
		return false
	}
	if n.Integer {
		if number, ok := integer(text); ok {
			w.addDigits(func(text []byte) []byte { return strconv.AppendUint(text, number, 10) })
			return true
		}
	}
	w.Add(text)
	return true
}

// addAny adds an attribute's value. A number is the same as its text. Maps and slices are the
// same as no value.
func (w *Writer) addAny(value pcommon.Value) {
	switch value.Type() {
	case pcommon.ValueTypeStr:
		w.Add(value.Str())
	case pcommon.ValueTypeInt:
		w.addSigned(value.Int())
	case pcommon.ValueTypeDouble:
		w.addDouble(value.Double())
	case pcommon.ValueTypeBool:
		w.Add(value.AsString())
	case pcommon.ValueTypeBytes:
		w.Add(string(value.Bytes().AsRaw()))
	default:
		w.Add("")
	}
}

func (w *Writer) addDouble(d float64) {
	if d == math.Trunc(d) && math.Abs(d) < 1<<53 {
		w.addSigned(int64(d))
		return
	}
	w.Add(strconv.FormatFloat(d, 'g', -1, 64))
}

func (w *Writer) addSigned(n int64) {
	w.addDigits(func(text []byte) []byte { return strconv.AppendInt(text, n, 10) })
}

// addDigits adds the digits of a number as Add does.
func (w *Writer) addDigits(appendTo func([]byte) []byte) {
	start := len(w.text)
	w.text = appendTo(append(w.text, 0))
	w.text[start] = byte(len(w.text) - start - 1)
}

// integer reads a decimal or, after 0x, a hexadecimal number.
func integer(text string) (uint64, bool) {
	base := 10
	if len(text) > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X') {
		text, base = text[2:], 16
	}
	n, err := strconv.ParseUint(text, base, 64)
	return n, err == nil
}

// IsNull reports whether a text stands for no value: nothing, a word such as none, nothing but
// zeros, as in 0x0 and 00000000-0000-0000-0000-000000000000, or what replaces a sensitive value.
func IsNull(text string) bool {
	return isZeros(text) || tracecontext.IsPlaceholder(text) || strings.EqualFold(text, "[redacted]") || strings.Trim(text, "*") == ""
}

func isZeros(text string) bool {
	if len(text) > 1 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X') {
		text = text[2:]
	}
	for i := range len(text) {
		if c := text[i]; c != '0' && c != '-' {
			return false
		}
	}
	return true
}
