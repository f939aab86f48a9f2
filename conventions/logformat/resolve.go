package logformat

import "time"

const (
	// early is how far in the future a record without a year may be: clocks differ by
	// hours when their zones are set wrong.
	early = 24 * time.Hour
	// slack is how far records are out of order, and clocks apart.
	slack = 2 * time.Minute
)

// Resolve completes a time. Loc is where the clock was that wrote no zone. Newest is
// when the file was written last; a time without a year is taken as the latest that
// is at most a day after it. Previous is the time of the record before, or zero: a
// local time that occurs twice, since the clock was set back, is the first one after
// previous. A moment before 1970 becomes 1970, since records hold none before it.
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
	if t.Year != 0 {
		return t.at(int(t.Year), loc, newest, previous)
	}
	limit := newest.Add(early)
	// The year may be one later in loc than in UTC. February 29 is up to eight years
	// back, over a century.
	for year := limit.UTC().Year() + 1; ; year-- {
		if int(t.Day) > daysIn(year, t.Month) {
			continue
		}
		if at := t.at(year, loc, newest, previous); !at.After(limit) {
			return at
		}
	}
}

// at is the time in a year.
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

// occurrences are when a local clock showed a time: two moments if it was set back
// in between, else twice the same.
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
