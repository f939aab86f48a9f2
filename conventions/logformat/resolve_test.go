// SPDX-License-Identifier: Apache-2.0

package logformat

import (
	"testing"
	"time"
	_ "time/tzdata" // the time zones below

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func location(t *testing.T, name string) *time.Location {
	t.Helper()
	loc, err := time.LoadLocation(name)
	require.NoError(t, err)
	return loc
}

func moment(t *testing.T, text string) time.Time {
	t.Helper()
	if text == "" {
		return time.Time{}
	}
	at, err := time.Parse(time.RFC3339Nano, text)
	require.NoError(t, err)
	return at
}

func written(t *testing.T, format, text string) Timestamp {
	t.Helper()
	var at Timestamp
	require.Equal(t, len(text), newTimeFormat(format).read(text, 0, &at), text)
	return at
}

func TestResolveYear(t *testing.T) {
	f := func(text, zone, newest, want string) {
		t.Helper()
		at := written(t, "%m-%d %H:%M:%S.%f", text)
		assert.Equal(t, want, at.Resolve(location(t, zone), moment(t, newest), time.Time{}).UTC().Format(time.RFC3339Nano), text)
	}
	f("06-01 12:00:00", "UTC", "2026-06-01T12:00:00Z", "2026-06-01T12:00:00Z")
	// New Year in the middle of a file.
	f("12-31 23:59:59.999", "UTC", "2026-01-01T00:05:00Z", "2025-12-31T23:59:59.999Z")
	f("01-01 00:00:00", "UTC", "2026-01-01T00:05:00Z", "2026-01-01T00:00:00Z")
	// The writer's clock is ahead of the file system's.
	f("01-01 00:00:01", "UTC", "2025-12-31T23:59:59Z", "2026-01-01T00:00:01Z")
	f("01-01 23:59:59", "UTC", "2025-12-31T23:59:59Z", "2026-01-01T23:59:59Z")
	f("01-02 00:00:00", "UTC", "2025-12-31T23:59:59Z", "2025-01-02T00:00:00Z")
	// The year differs between the zone and UTC.
	f("01-01 08:00:00", "Asia/Tokyo", "2025-12-31T23:05:00Z", "2025-12-31T23:00:00Z")
	f("12-31 20:00:00", "America/New_York", "2026-01-01T01:05:00Z", "2026-01-01T01:00:00Z")
	// An old file.
	f("03-01 00:00:00", "UTC", "2026-02-01T00:00:00Z", "2025-03-01T00:00:00Z")
	// Leap days, also across a century without one.
	f("02-29 12:00:00", "UTC", "2026-06-01T00:00:00Z", "2024-02-29T12:00:00Z")
	f("02-29 12:00:00", "UTC", "2024-02-28T12:00:00Z", "2024-02-29T12:00:00Z")
	f("02-29 12:00:00", "UTC", "2024-02-28T11:59:59Z", "2020-02-29T12:00:00Z")
	f("02-29 12:00:00", "UTC", "2103-06-01T00:00:00Z", "2096-02-29T12:00:00Z")
	// A leap second is the next second.
	f("12-31 23:59:60.5", "UTC", "2017-01-02T00:00:00Z", "2017-01-01T00:00:00.5Z")
}

func TestResolveZone(t *testing.T) {
	f := func(format, text, zone, want string) {
		t.Helper()
		got := written(t, format, text).Resolve(location(t, zone), moment(t, "2026-06-01T12:00:00Z"), time.Time{})
		assert.Equal(t, want, got.UTC().Format(time.RFC3339Nano), text)
	}
	f("%Y-%m-%d %H:%M:%S%z", "2026-01-02 10:00:00+05:30", "UTC", "2026-01-02T04:30:00Z")
	f("%Y-%m-%d %H:%M:%S%z", "2026-01-02 10:00:00-0230", "Asia/Tokyo", "2026-01-02T12:30:00Z")
	f("%m-%d %H:%M:%S%z", "01-02 10:00:00+01", "Asia/Tokyo", "2026-01-02T09:00:00Z")
	f("%Y-%m-%d %H:%M:%S", "2026-01-02 10:00:00", "Asia/Tokyo", "2026-01-02T01:00:00Z")
	f("%Q", "1767348000016", "Asia/Tokyo", "2026-01-02T10:00:00.016Z")
	// A clock that was never set.
	f("%Y-%m-%d %H:%M:%S", "1970-01-01 00:00:03", "Asia/Tokyo", "1970-01-01T00:00:00Z")
	assert.True(t, Timestamp{}.Resolve(time.UTC, time.Now(), time.Time{}).IsZero())
}

// The clock is set back at 02:00 EDT (06:00Z) and at 03:00 CEST (01:00Z).
func TestResolveClockSetBack(t *testing.T) {
	f := func(zone, text, newest, previous, want string) {
		t.Helper()
		at := written(t, "%Y-%m-%d %H:%M:%S.%f", text)
		got := at.Resolve(location(t, zone), moment(t, newest), moment(t, previous)).UTC().Format(time.RFC3339Nano)
		assert.Equal(t, want, got, "%s after %s", text, previous)
	}
	for _, z := range []struct{ name, day, first, second string }{
		{"America/New_York", "2025-11-02 01", "2025-11-02T05", "2025-11-02T06"},
		{"Europe/Berlin", "2025-10-26 02", "2025-10-26T00", "2025-10-26T01"},
	} {
		const later = "2025-12-01T00:00:00Z"
		// The first hour and the second, in order.
		f(z.name, z.day+":00:00", later, z.first+":00:00Z", z.first+":00:00Z")
		f(z.name, z.day+":59:59", later, z.first+":58:00Z", z.first+":59:59Z")
		f(z.name, z.day+":00:00", later, z.first+":59:59Z", z.second+":00:00Z")
		f(z.name, z.day+":30:00", later, z.second+":00:00Z", z.second+":30:00Z")
		f(z.name, z.day+":59:59", later, z.second+":59:58Z", z.second+":59:59Z")
		// In a quiet log, no record is before the previous one.
		f(z.name, z.day+":20:00", later, z.first+":30:00Z", z.second+":20:00Z")
		// Records that are a little out of order do not jump an hour.
		f(z.name, z.day+":10:00.001", later, z.first+":10:00.004Z", z.first+":10:00.001Z")
		f(z.name, z.day+":10:00.001", later, z.second+":10:00.004Z", z.second+":10:00.001Z")
		f(z.name, z.day+":59:59.999", later, z.second+":00:00.001Z", z.first+":59:59.999Z")
		f(z.name, z.day+":00:00.001", later, z.first+":59:59.999Z", z.second+":00:00.001Z")
		// Without a previous record: the second occurrence, unless the file is older.
		f(z.name, z.day+":30:00", later, "", z.second+":30:00Z")
		f(z.name, z.day+":30:00", z.second+":30:01Z", "", z.second+":30:00Z")
		f(z.name, z.day+":30:00", z.second+":28:01Z", "", z.second+":30:00Z")
		f(z.name, z.day+":30:00", z.first+":30:01Z", "", z.first+":30:00Z")
		f(z.name, z.day+":30:00", z.first+":30:01Z", z.first+":45:00Z", z.first+":30:00Z")
	}
}

// The clock is set forward at 02:00 EST (07:00Z) and at 02:00 CET (01:00Z).
func TestResolveClockSetForward(t *testing.T) {
	f := func(zone, text, want string, tolerance time.Duration) {
		t.Helper()
		got := written(t, "%Y-%m-%d %H:%M:%S", text).Resolve(location(t, zone), moment(t, "2025-12-01T00:00:00Z"), time.Time{})
		assert.WithinDuration(t, moment(t, want), got, tolerance, text)
	}
	f("America/New_York", "2025-03-09 01:59:59", "2025-03-09T06:59:59Z", 0)
	f("America/New_York", "2025-03-09 02:30:00", "2025-03-09T07:00:00Z", time.Hour)
	f("America/New_York", "2025-03-09 03:00:00", "2025-03-09T07:00:00Z", 0)
	f("Europe/Berlin", "2025-03-30 01:59:59", "2025-03-30T00:59:59Z", 0)
	f("Europe/Berlin", "2025-03-30 02:30:00", "2025-03-30T01:00:00Z", time.Hour)
	f("Europe/Berlin", "2025-03-30 03:00:00", "2025-03-30T01:00:00Z", 0)
}

// Records every ten minutes, during the night of 25 hours, stay in order.
func TestResolveNight(t *testing.T) {
	loc := location(t, "Europe/Berlin")
	at, previous := moment(t, "2025-10-25T20:00:00Z"), time.Time{}
	for range 60 {
		text := at.In(loc).Format("01-02 15:04:05")
		previous = written(t, "%m-%d %H:%M:%S", text).Resolve(loc, moment(t, "2025-10-27T00:00:00Z"), previous)
		require.Equal(t, at, previous.UTC(), text)
		at = at.Add(10 * time.Minute)
	}
}
