package logformat

import "time"

// Timestamp is a time as it was written. The zero value is none.
type Timestamp struct {
	Year       int16 // 0 when not written
	Month      int8
	Day        int8
	Hour       int8
	Minute     int8
	Second     int8 // 60 is a leap second
	Zone       bool // tells that Offset was written
	Nanosecond int32
	Offset     int32 // seconds east of UTC
}

// IsZero tells that there is no time.
func (t Timestamp) IsZero() bool { return t.Month == 0 }

// The years that a record's time can hold.
const minYear, maxYear = 1970, 2261

// valid tells whether the clock and the calendar have such a time.
func (t Timestamp) valid() bool {
	if t.Month < 1 || t.Month > 12 || t.Hour > 23 || t.Minute > 59 || t.Second > 60 || t.Day < 1 {
		return false
	}
	if t.Year == 0 {
		return int(t.Day) <= daysIn(2000, t.Month) // a leap year
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

// in is the time in a year, read off a clock that is set to UTC.
func (t Timestamp) in(year int) time.Time {
	return time.Date(year, time.Month(t.Month), int(t.Day), int(t.Hour), int(t.Minute), int(t.Second), int(t.Nanosecond), time.UTC)
}

// fromEpoch writes a moment down.
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
