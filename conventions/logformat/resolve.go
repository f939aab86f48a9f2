// SPDX-License-Identifier: Apache-2.0

package logformat

import "time"

const (
	// maxFuture is how far in the future a record without a year may be. Clocks differ by hours
	// if their time zones are wrong.
	maxFuture = 24 * time.Hour
	// slack is how far records may be out of order, and clocks apart.
	slack = 2 * time.Minute
)

// Resolve completes a time. Loc is the time zone of the writer's clock, for a time without a
// zone. Newest is the time of the last write to the file: a time without a year is the latest
// one that is at most a day after newest, and a time without a date the latest one that is not
// after newest. Previous is the time of the previous record, or zero.
// A local time that occurs twice, because the clock was set back, is the first occurrence that
// is not before previous. Times before 1970 become 1970, the earliest time of a record.
func (t Timestamp) Resolve(loc *time.Location, newest, previous time.Time) time.Time {
	if t.IsZero() {
		return time.Time{}
	}
	resolved := t.resolve(loc, newest, previous)
	if resolved.Unix() < 0 {
		return time.Unix(0, 0).In(loc)
	}
	return resolved
}

func (t Timestamp) resolve(loc *time.Location, newest, previous time.Time) time.Time {
	if t.Month == everyDay {
		return t.onDay(loc, newest, previous)
	}
	if t.Year != 0 {
		return t.at(int(t.Year), loc, newest, previous)
	}
	limit := newest.Add(maxFuture)
	// The year may be one later in loc than in UTC. The last February 29 can be eight years
	// ago: 1900 was no leap year.
	for year := limit.UTC().Year() + 1; ; year-- {
		if int(t.Day) > daysIn(year, t.Month) {
			continue
		}
		if at := t.at(year, loc, newest, previous); !at.After(limit) {
			return at
		}
	}
}

// onDay returns the latest time of the clock that is not after newest.
func (t Timestamp) onDay(loc *time.Location, newest, previous time.Time) time.Time {
	for day := newest.Add(maxFuture).In(loc); ; day = day.AddDate(0, 0, -1) {
		t.Month, t.Day = int8(day.Month()), int8(day.Day())
		if at := t.at(day.Year(), loc, newest, previous); !at.After(newest.Add(slack)) {
			return at
		}
	}
}

// at returns the time in a given year.
func (t Timestamp) at(year int, loc *time.Location, newest, previous time.Time) time.Time {
	clock := t.in(year)
	if t.Zone {
		return clock.Add(-time.Duration(t.Offset) * time.Second)
	}
	if loc == time.UTC {
		return clock
	}
	first, second := occurrences(clock, loc)
	switch {
	case first.Equal(second), second.After(newest.Add(slack)):
		return first
	case !previous.IsZero() && !first.Before(previous.Add(-slack)):
		return first
	}
	return second
}

// occurrences returns the moments at which a local clock showed a time: two if it was set back
// in between, else the same one twice.
func occurrences(clock time.Time, loc *time.Location) (first, second time.Time) {
	at := time.Date(clock.Year(), clock.Month(), clock.Day(), clock.Hour(), clock.Minute(), clock.Second(), clock.Nanosecond(), loc)
	start, end := at.ZoneBounds()
	if !start.IsZero() {
		if before := clock.Add(-offsetAt(start.Add(-1))).In(loc); before.Before(start) {
			return before, at
		}
	}
	if !end.IsZero() {
		if after := clock.Add(-offsetAt(end)).In(loc); !after.Before(end) {
			return at, after
		}
	}
	return at, at
}

func offsetAt(t time.Time) time.Duration {
	_, offset := t.Zone()
	return time.Duration(offset) * time.Second
}
