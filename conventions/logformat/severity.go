// SPDX-License-Identifier: Apache-2.0

package logformat

import (
	"math"
	"strings"

	"go.opentelemetry.io/collector/pdata/plog"
)

// longestWord bounds the words that are looked up, in bytes.
const longestWord = 16

// ParseSeverity returns the number of a severity: a word or a letter in any case, a word with
// slog's offset (INFO+2), or a number of pino and bunyan (10 to 69). It returns 0 if the
// severity is unknown.
func ParseSeverity(text string) plog.SeverityNumber {
	if at := strings.IndexAny(text, "+-"); at > 0 {
		return withOffset(wordSeverity(text[:at]), text[at:])
	}
	if severity := wordSeverity(text); severity != 0 {
		return severity
	}
	return numberSeverity(text)
}

// withOffset adds slog's offset. slog's levels have the same distances as OpenTelemetry's.
func withOffset(severity plog.SeverityNumber, offset string) plog.SeverityNumber {
	digits := strings.TrimPrefix(offset, "+")
	n, end := integer(digits, 0)
	if end != len(digits) || n < -math.MaxInt8 || n > math.MaxInt8 || severity == 0 {
		return 0
	}
	return min(max(severity+plog.SeverityNumber(n), plog.SeverityNumberTrace), plog.SeverityNumberFatal4)
}

func wordSeverity(word string) plog.SeverityNumber {
	if len(word) > longestWord {
		return 0
	}
	var buffer [longestWord]byte
	for i := range len(word) {
		buffer[i] = word[i] | 0x20 // lower case, for letters
	}
	switch string(buffer[:len(word)]) {
	case "t", "trace", "trc", "v", "verbose", "finest":
		return plog.SeverityNumberTrace
	case "d", "debug", "dbg", "finer":
		return plog.SeverityNumberDebug
	case "fine":
		return plog.SeverityNumberDebug2
	case "config":
		return plog.SeverityNumberDebug3
	case "i", "info", "inf", "information", "informational":
		return plog.SeverityNumberInfo
	case "notice", "success":
		return plog.SeverityNumberInfo2
	case "w", "warn", "wrn", "warning":
		return plog.SeverityNumberWarn
	case "e", "error", "err", "severe":
		return plog.SeverityNumberError
	case "alert":
		return plog.SeverityNumberError3
	// Syslog's critical is below alert, but most programs that write the word are in Python,
	// where it is the highest level.
	case "f", "fatal", "ftl", "c", "critical", "crit", "emerg", "emergency", "dpanic":
		return plog.SeverityNumberFatal
	case "panic":
		return plog.SeverityNumberFatal2
	}
	return 0
}

// numberSeverity maps the levels of pino and bunyan, 10 (trace) to 60 (fatal).
func numberSeverity(text string) plog.SeverityNumber {
	n, end := integer(text, 0)
	if end != len(text) || n < 10 || n > 69 {
		return 0
	}
	return plog.SeverityNumber(n/10*4 - 3)
}

// syslogSeverities are the words of syslog's numbers, and what they mean.
var syslogSeverities = [8]struct {
	word   string
	number plog.SeverityNumber
}{
	{"emerg", plog.SeverityNumberFatal}, {"alert", plog.SeverityNumberError3}, {"crit", plog.SeverityNumberError2}, {"err", plog.SeverityNumberError},
	{"warning", plog.SeverityNumberWarn}, {"notice", plog.SeverityNumberInfo2}, {"info", plog.SeverityNumberInfo}, {"debug", plog.SeverityNumberDebug},
}
