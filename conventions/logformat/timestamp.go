// SPDX-License-Identifier: Apache-2.0

package logformat

import "time"

// Timestamp is a time as it was written. The zero value means that there is none.
type Timestamp struct {
	Year       int16 // 0 if not written
	Month      int8
	Day        int8
	Hour       int8
	Minute     int8
	Second     int8 // 60 in a leap second
	Zone       bool // whether Offset was written
	Nanosecond int32
	Offset     int32 // seconds east of UTC
}

// everyDay is the month of a time without a date.
const everyDay = -1

// IsZero reports whether there is no time.
func (t Timestamp) IsZero() bool { return t.Month == 0 }

// The years of the times that a record can hold.
const minYear, maxYear = 1970, 2261

// valid reports whether the time exists on the clock and in the calendar.
func (t Timestamp) valid() bool {
	if t.Hour > 23 || t.Minute > 59 || t.Second > 60 {
		return false
	}
	if t.Month == everyDay {
		return t.Day == 0
	}
	if t.Month < 1 || t.Month > 12 || t.Day < 1 {
		return false
	}
	if t.Year == 0 {
		return int(t.Day) <= daysIn(2000, t.Month) // 2000 is a leap year
	}
	return t.Year >= minYear && t.Year <= maxYear && int(t.Day) <= daysIn(int(t.Year), t.Month)
}

func daysIn(year int, month int8) int {
	switch month {
	case 4, 6, 9, 11:
		return 30
	case 2:
		if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			return 29
		}
		return 28
	}
	return 31
}

// in returns the time in a given year as UTC.
func (t Timestamp) in(year int) time.Time {
	return time.Date(year, time.Month(t.Month), int(t.Day), int(t.Hour), int(t.Minute), int(t.Second), int(t.Nanosecond), time.UTC)
}

// fromEpoch returns a moment as a Timestamp.
func fromEpoch(seconds, nanoseconds int64) Timestamp {
	u := time.Unix(seconds, nanoseconds).UTC()
	if u.Year() < minYear || u.Year() > maxYear {
		return Timestamp{}
	}
	return Timestamp{
		Year: int16(u.Year()), Month: int8(u.Month()), Day: int8(u.Day()),
		Hour: int8(u.Hour()), Minute: int8(u.Minute()), Second: int8(u.Second()), Nanosecond: int32(u.Nanosecond()), Zone: true,
	}
}

// parseTime parses a date or a number. It returns zero if the text is neither.
func parseTime(text string, mayBeDate bool) Timestamp {
	if mayBeDate {
		var t Timestamp
		if readISO(text, 0, &t) == len(text) && t.valid() {
			return t
		}
	}
	return parseEpoch(text)
}

// parseEpoch parses the time since 1970 in seconds, milli-, micro- or nanoseconds; the
// magnitude decides which. A number below 1e8 is a duration or a counter rather than a time.
func parseEpoch(text string) Timestamp {
	n, end := integer(text, 0)
	if end < 0 || n < 1e8 {
		return Timestamp{}
	}
	fraction, end := fraction(text, end, '.')
	if end != len(text) {
		return Timestamp{}
	}
	perSecond := int64(1)
	for n/perSecond >= 1e11 {
		perSecond *= 1000
	}
	nanoseconds := n%perSecond*(1e9/perSecond) + int64(fraction)/perSecond
	return fromEpoch(n/perSecond, nanoseconds)
}
