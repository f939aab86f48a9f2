// SPDX-License-Identifier: Apache-2.0

package logformat

import (
	"strings"

	"github.com/otelcol-tc/otelcol-tc/conventions/layout"
)

// timeFormat parses times of one format. Its steps are verbs and the literal bytes between
// them.
type timeFormat []timeStep

type timeStep struct {
	verb byte // 0 for a byte of literal text
	text byte // the literal, or the separator before a fraction
}

// newTimeFormat compiles a format that layout.Parse has validated.
func newTimeFormat(format string) timeFormat {
	if format == layout.ISO {
		return timeFormat{{verb: isoVerb}}
	}
	var steps timeFormat
	for i := 0; i < len(format); i++ {
		if format[i] != '%' {
			steps = append(steps, timeStep{text: format[i]})
			continue
		}
		i++
		if format[i] == 'f' {
			steps[len(steps)-1].verb = 'f' // the separator before it belongs to the fraction
			continue
		}
		steps = append(steps, timeStep{verb: format[i]})
	}
	return steps
}

func (f timeFormat) begins() byte { return f[0].verb }

// isoVerb is the only step of layout.ISO.
const isoVerb = 'i'

// read parses a time at pos, and returns its end or -1.
func (f timeFormat) read(line string, pos int, t *Timestamp) int {
	n := 0
	t.Month = everyDay
	for i, step := range f {
		switch step.verb {
		case 0:
			if step.text == ' ' && strings.HasPrefix(line[pos:], "\u202f") {
				continue // 'p' reads it
			}
			pos = readByte(line, pos, step.text)
		case 'Y':
			n, pos = digits(line, pos, 4)
			t.Year = int16(n)
			if n == 0 {
				return -1 // year 0 would mean that there is no year
			}
		case 'm':
			n, pos = monthNumber(line, pos, i+1 < len(f) && f[i+1].verb == 'd')
			t.Month = int8(n)
		case 'b':
			t.Month, pos = month(line, pos)
		case 'd':
			n, pos = day(line, pos)
			t.Day = int8(n)
		case 'H':
			n, pos = digits(line, pos, 2)
			t.Hour = int8(n)
		case 'I':
			n, pos = day(line, pos)
			if n < 1 || n > 12 {
				return -1
			}
			t.Hour = int8(n % 12)
		case 'p':
			n, pos = afternoon(line, pos)
			t.Hour += int8(n)
		case 'M':
			n, pos = digits(line, pos, 2)
			t.Minute = int8(n)
		case 'S':
			n, pos = digits(line, pos, 2)
			t.Second = int8(n)
		case 'f':
			t.Nanosecond, pos = fraction(line, pos, step.text)
		case 'z':
			t.Offset, pos = zone(line, pos)
			t.Zone = true
		case isoVerb:
			pos = readISO(line, pos, t)
		case 'Q':
			var ms int64
			ms, pos = integer(line, pos)
			if pos >= 0 {
				*t = fromEpoch(ms/1000, ms%1000*1e6)
			}
		}
		if pos < 0 {
			return -1
		}
	}
	if !t.valid() {
		return -1
	}
	return pos
}

func readByte(line string, pos int, c byte) int {
	if pos == len(line) || line[pos] != c {
		return -1
	}
	if c == ' ' {
		return skipSpaces(line, pos)
	}
	return pos + 1
}

// afternoon parses AM or PM, as the hours to add. Java writes a narrow no-break space before it.
func afternoon(line string, pos int) (hours, end int) {
	rest := strings.TrimPrefix(line[pos:], "\u202f")
	end = len(line) - len(rest) + len("AM")
	switch {
	case strings.HasPrefix(rest, "AM"):
		return 0, end
	case strings.HasPrefix(rest, "PM"):
		return 12, end
	}
	return 0, -1
}

// readISO parses a date and a time of ISO 8601, with T or a space between them. A fraction after a
// point or a comma may follow, and a zone, also after a space.
func readISO(line string, pos int, t *Timestamp) int {
	if len(line)-pos < len("2026-01-02T10:00:00") {
		return -1
	}
	year, a := digits(line, pos, 4)
	month, b := digits(line, pos+5, 2)
	date, c := digits(line, pos+8, 2)
	hour, d := digits(line, pos+11, 2)
	minute, e := digits(line, pos+14, 2)
	second, f := digits(line, pos+17, 2)
	if min(a, b, c, d, e, f) < 0 || year == 0 || line[pos+4] != '-' || line[pos+7] != '-' ||
		line[pos+10] != 'T' && line[pos+10] != ' ' || line[pos+13] != ':' || line[pos+16] != ':' {
		return -1
	}
	*t = Timestamp{Year: int16(year), Month: int8(month), Day: int8(date), Hour: int8(hour), Minute: int8(minute), Second: int8(second)}
	for _, separator := range []byte{'.', ','} {
		if ns, end := fraction(line, f, separator); end > f {
			t.Nanosecond, f = ns, end
		}
	}
	at := f
	if rest := line[f:]; strings.HasPrefix(rest, " UTC") {
		t.Zone = true
		return f + len(" UTC")
	} else if strings.HasPrefix(rest, " +") || strings.HasPrefix(rest, " -") {
		// After a space, only the form with four digits is certainly a zone.
		if _, end := digits(line, f+2, 4); end < 0 {
			return f
		}
		at++
	}
	if offset, end := zone(line, at); end >= 0 {
		t.Offset, t.Zone, f = offset, true, end
	}
	return f
}

// digits parses exactly count digits.
func digits(line string, pos, count int) (n, end int) {
	if len(line)-pos < count {
		return 0, -1
	}
	for ; count > 0; count-- {
		digit := line[pos] - '0'
		if digit > 9 {
			return 0, -1
		}
		n = n*10 + int(digit)
		pos++
	}
	return n, pos
}

// monthNumber parses two digits, or one where the day follows at once and has two: PyTorch writes August 10 as 810.
func monthNumber(line string, pos int, dayFollows bool) (n, end int) {
	if _, three := digits(line, pos, 3); dayFollows && three >= 0 {
		if _, four := digits(line, pos, 4); four < 0 {
			return digits(line, pos, 1)
		}
	}
	return digits(line, pos, 2)
}

// day parses one or two digits.
func day(line string, pos int) (n, end int) {
	if n, end = digits(line, pos, 2); end < 0 {
		return digits(line, pos, 1)
	}
	return n, end
}

const months = "JanFebMarAprMayJunJulAugSepOctNovDec"

func month(line string, pos int) (n int8, end int) {
	if len(line)-pos < 3 {
		return 0, -1
	}
	at := strings.Index(months, line[pos:pos+3])
	if at < 0 || at%3 != 0 {
		return 0, -1
	}
	return int8(at/3 + 1), pos + 3
}

// fraction parses the separator and the digits of a second's fraction, as nanoseconds. The
// fraction may be missing, because some writers omit zeros.
func fraction(line string, pos int, separator byte) (ns int32, end int) {
	if pos == len(line) || line[pos] != separator {
		return 0, pos
	}
	start := pos + 1
	for pos = start; pos < len(line) && line[pos]-'0' <= 9; pos++ {
		if pos-start < 9 {
			ns = ns*10 + int32(line[pos]-'0')
		}
	}
	if pos == start {
		return 0, -1
	}
	for i := pos - start; i < 9; i++ {
		ns *= 10
	}
	return ns, pos
}

// zone parses Z, +hh, +hhmm or +hh:mm, as seconds.
func zone(line string, pos int) (offset int32, end int) {
	if pos == len(line) {
		return 0, -1
	}
	sign := int32(1)
	switch line[pos] {
	case 'Z':
		return 0, pos + 1
	case '-':
		sign = -1
	case '+':
	default:
		return 0, -1
	}
	hours, pos := digits(line, pos+1, 2)
	if pos < 0 || hours > 23 {
		return 0, -1
	}
	at := pos
	if at < len(line) && line[at] == ':' {
		at++
	}
	minutes, end := digits(line, at, 2)
	if end < 0 {
		return sign * int32(hours) * 3600, pos
	}
	if minutes > 59 {
		return 0, -1
	}
	return sign * int32(hours*3600+minutes*60), end
}
