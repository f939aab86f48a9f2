package logformat

import "strings"

// timeFormat parses times of one format. Its steps are verbs and the literal bytes between
// them.
type timeFormat []timeStep

type timeStep struct {
	verb byte // 0 for a byte of literal text
	text byte // the literal, or the separator before a fraction
}

// newTimeFormat compiles a format that layout.Parse has validated.
func newTimeFormat(format string) timeFormat {
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

// read parses a time at pos, and returns its end or -1.
func (f timeFormat) read(line string, pos int, t *Timestamp) int {
	n := 0
	for _, step := range f {
		switch step.verb {
		case 0:
			pos = readByte(line, pos, step.text)
		case 'Y':
			n, pos = digits(line, pos, 4)
			t.Year = int16(n)
			if n == 0 {
				return -1 // year 0 would mean that there is no year
			}
		case 'm':
			n, pos = digits(line, pos, 2)
			t.Month = int8(n)
		case 'b':
			t.Month, pos = month(line, pos)
		case 'd':
			n, pos = day(line, pos)
			t.Day = int8(n)
		case 'H':
			n, pos = digits(line, pos, 2)
			t.Hour = int8(n)
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
	return sign * int32(hours*3600+minutes*60), end
}
