// SPDX-License-Identifier: Apache-2.0

package tracecontext

import (
	"math"
	"strconv"
	"strings"
)

const (
	traceDigits = 32
	spanDigits  = 16
	halfDigits  = 16 // of a trace id
)

// nibbles maps hexadecimal digits to their values, and all other bytes to notHex.
var nibbles = func() (table [256]byte) {
	for i := range table {
		table[i] = notHex
	}
	for i, digit := range "0123456789abcdef" {
		table[digit] = byte(i)
	}
	for i, digit := range "ABCDEF" {
		table[digit] = byte(10 + i)
	}
	return table
}()

const notHex = 0xff

// hex parses up to 16 hexadecimal digits.
func hex(digits string) (n uint64, ok bool) {
	var all byte
	for i := range len(digits) {
		nibble := nibbles[digits[i]]
		all |= nibble
		n = n<<4 | uint64(nibble)
	}
	return n, all != notHex
}

// hexTrace parses 32 digits, or the 16 of a 64-bit id, whose upper half is zero.
func hexTrace(text string) (id trace, why Reason) {
	if len(text) != traceDigits && len(text) != halfDigits {
		return id, lengthReason(text)
	}
	return digitsOf(text)
}

// trimmedTrace parses a trace id whose leading zeros may be missing.
func trimmedTrace(text string) (id trace, why Reason) {
	if len(text) > traceDigits || IsPlaceholder(text) {
		return id, lengthReason(text)
	}
	return digitsOf(text)
}

// digitsOf parses up to 32 hexadecimal digits.
func digitsOf(text string) (id trace, why Reason) {
	half := max(0, len(text)-halfDigits)
	upper, ok1 := hex(text[:half])
	lower, ok2 := hex(text[half:])
	if !ok1 || !ok2 {
		return trace{}, NotHex
	}
	return trace{upper, lower}, zeroOr(upper | lower)
}

// uuidTrace parses 32 hexadecimal digits with or without the dashes of a UUID.
func uuidTrace(text string) (id trace, why Reason) {
	if len(text) != 36 {
		return hexTrace(text)
	}
	if text[8] != '-' || text[13] != '-' || text[18] != '-' || text[23] != '-' {
		return id, Length
	}
	return digitsOf(text[:8] + text[9:13] + text[14:18] + text[19:23] + text[24:])
}

// googleTrace parses the id that Google's logging agents write: the trace id alone, or the
// resource name projects/P/traces/T.
func googleTrace(text string) (trace, Reason) {
	if strings.HasPrefix(text, "projects/") {
		if at := strings.LastIndex(text, "/traces/"); at >= 0 {
			text = text[at+len("/traces/"):]
		}
	}
	return hexTrace(text)
}

// datadogTrace parses a decimal trace id of 64 bits, or 32 hexadecimal digits.
func datadogTrace(text string) (trace, Reason) {
	if len(text) == traceDigits {
		return hexTrace(text)
	}
	return decimalTrace(text)
}

func decimalTrace(text string) (trace, Reason) {
	n, why := decimal(text)
	return trace{lower: n}, why
}

// hexSpan parses 16 hexadecimal digits.
func hexSpan(text string) (id uint64, why Reason) {
	if len(text) != spanDigits {
		return 0, lengthReason(text)
	}
	whole, why := digitsOf(text)
	return whole.lower, why
}

// trimmedSpan parses a span id whose leading zeros may be missing.
func trimmedSpan(text string) (id uint64, why Reason) {
	if len(text) > spanDigits || IsPlaceholder(text) {
		return 0, lengthReason(text)
	}
	whole, why := digitsOf(text)
	return whole.lower, why
}

// decimal parses an unsigned decimal number of 64 bits.
func decimal(text string) (n uint64, why Reason) {
	if IsPlaceholder(text) {
		return 0, Placeholder
	}
	for i := range len(text) {
		digit := uint64(text[i] - '0')
		if digit > 9 {
			return 0, NotDecimal
		}
		if n > (math.MaxUint64-digit)/10 {
			return 0, Length
		}
		n = n*10 + digit
	}
	return n, zeroOr(n)
}

// hexFlags parses the one or two hexadecimal digits of trace flags. Other texts state nothing.
func hexFlags(text string) (parts, Reason) {
	flags, ok := flagsIn(text)
	return withFlags(parts{}, flags, ok), Accepted
}

func flagsIn(text string) (flags uint8, ok bool) {
	if text == "" || len(text) > 2 {
		return 0, false
	}
	n, ok := hex(text)
	return uint8(n), ok
}

// decimalFlags parses a number of trace flags. Only its low 8 bits count.
func decimalFlags(digits string) (parts, Reason) {
	n, err := strconv.ParseUint(digits, 10, 64)
	return withFlags(parts{}, uint8(n), err == nil), Accepted
}

// flagSampled is the lowest bit of trace flags.
const flagSampled = 1

// sampledFlag parses a value that states only whether a trace is sampled. B3 writes d for a
// trace in debug mode, which is sampled as well. Other texts state nothing.
func sampledFlag(text string) (parts, Reason) { return withSampled(parts{}, text), Accepted }

func withSampled(p parts, text string) parts {
	p.onlySampled = true
	switch text {
	case "1", "true", "True", "d":
		return withFlags(p, flagSampled, true)
	case "0", "false", "False":
		return withFlags(p, 0, true)
	}
	return p
}

func withFlags(p parts, flags uint8, ok bool) parts {
	if ok {
		p.has |= partFlags
		p.flags = flags
	}
	return p
}
