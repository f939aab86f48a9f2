// SPDX-License-Identifier: Apache-2.0

package logformat

import (
	"testing"
	"time"
	_ "time/tzdata" // the time zones below

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/tests/testfiles"
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

// testdata/resolve.yaml has stamps of logs and when they were written.
func TestResolve(t *testing.T) {
	for _, row := range testfiles.Cases[[6]string](t, "testdata/resolve.yaml") {
		format, text, zone, newest, previous, want := row[0], row[1], row[2], row[3], row[4], row[5]
		got := written(t, format, text).Resolve(location(t, zone), moment(t, newest), moment(t, previous))
		assert.Equal(t, want, got.UTC().Format(time.RFC3339Nano), row)
	}
	assert.True(t, Timestamp{}.Resolve(time.UTC, time.Now(), time.Time{}).IsZero())
	for _, row := range [][3]string{ // an hour that the clock left out
		{"America/New_York", "2025-03-09 02:30:00", "2025-03-09T07:00:00Z"},
		{"Europe/Berlin", "2025-03-30 02:30:00", "2025-03-30T01:00:00Z"},
	} {
		got := written(t, "%Y-%m-%d %H:%M:%S", row[1]).Resolve(location(t, row[0]), moment(t, "2025-12-01T00:00:00Z"), time.Time{})
		assert.WithinDuration(t, moment(t, row[2]), got, time.Hour, row)
	}
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
