// SPDX-License-Identifier: Apache-2.0

package logformat

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestTimeFormat(t *testing.T) {
	const iso, plain = "%Y-%m-%dT%H:%M:%S.%f%z", "%Y-%m-%d %H:%M:%S,%f"
	f := func(format, text string, want Timestamp) {
		t.Helper()
		var got Timestamp
		assert.Equal(t, len(text), newTimeFormat(format).read(text, 0, &got), text)
		assert.Equal(t, want, got, text)
	}
	base := Timestamp{Year: 2026, Month: 1, Day: 2, Hour: 10, Minute: 3, Second: 4}
	with := func(ns, offset int32, zone bool) Timestamp {
		at := base
		at.Nanosecond, at.Offset, at.Zone = ns, offset, zone
		return at
	}
	f(iso, "2026-01-02T10:03:04.123456789+01:00", with(123456789, 3600, true))
	f(iso, "2026-01-02T10:03:04.1234567899999Z", with(123456789, 0, true))
	f(iso, "2026-01-02T10:03:04.5-0530", with(500000000, -19800, true))
	f(iso, "2026-01-02T10:03:04+14", with(0, 50400, true))
	f(plain, "2026-01-02 10:03:04,007", with(7000000, 0, false))
	f(plain, "2026-01-02   10:03:04", with(0, 0, false))
	f("%b %d %H:%M:%S", "Feb  2 10:03:04", Timestamp{Month: 2, Day: 2, Hour: 10, Minute: 3, Second: 4})
	f("%d/%b/%Y:%H:%M:%S %z", "02/Jan/2026:10:03:04 +0000", with(0, 0, true))
	f("%m%d %H:%M:%S.%f", "0229 23:59:60.000001", Timestamp{Month: 2, Day: 29, Hour: 23, Minute: 59, Second: 60, Nanosecond: 1000})
	f("%m%d %H:%M:%S.%f", "810 15:46:05.718597139", Timestamp{Month: 8, Day: 10, Hour: 15, Minute: 46, Second: 5, Nanosecond: 718597139})
	f("%m%d %H:%M:%S.%f", "112 10:03:04", Timestamp{Month: 1, Day: 12, Hour: 10, Minute: 3, Second: 4})
	f("%Q", "1767348184007", with(7000000, 0, true))

	none := func(format string, texts ...string) {
		t.Helper()
		for _, text := range texts {
			assert.Equal(t, -1, newTimeFormat(format).read(text, 0, &Timestamp{}), text)
		}
	}
	none(iso, "2026-01-02T10:03:04+05:99", "2026-01-02T10:03:04+0560")
	none(iso, "", "2026", "2026-13-02T10:03:04Z", "2026-00-02T10:03:04Z", "2026-02-29T10:03:04Z", "2026-01-32T10:03:04Z", "2026-01-00T10:03:04Z",
		"2026-04-31T10:03:04Z", "2100-02-29T10:03:04Z", "2026-01-02T24:03:04Z", "2026-01-02T10:60:04Z", "2026-01-02T10:03:61Z", "0000-01-02T10:03:04Z",
		"1969-01-02T10:03:04Z", "2262-01-02T10:03:04Z", "2026-01-02T10:03:04.Z", "2026-01-02T10:03:04", "2026-01-02T10:03:04+1", "2026-01-02T10:03:04 Z",
		"2026-01-02T10:03:04+24:00", "2026-01-02t10:03:04Z", "2026-1-02T10:03:04Z", "٢٠٢٦-01-02T10:03:04Z")
	none("%m-%d %H:%M:%S", "02-30 10:03:04", "2-03 10:03:04")
	none("%m%d %H:%M:%S", "12 10:03:04", "011 10:03:04", "01122 10:03:04")
	none("%b %d %H:%M:%S", "anF  2 10:03:04", "jan  2 10:03:04", "Ja", "Jan 32 10:03:04")
	none("%Q", "", "x", "-1", "99999999999999", "99999999999999999999")
}

func TestParseEpoch(t *testing.T) {
	f := func(text string, want Timestamp) {
		t.Helper()
		assert.Equal(t, want, parseTime(text, false), text)
	}
	at := func(ns int32) Timestamp {
		return Timestamp{Year: 2026, Month: 1, Day: 2, Hour: 10, Minute: 3, Second: 4, Nanosecond: ns, Zone: true}
	}
	f("1767348184", at(0))
	f("1767348184.123456789", at(123456789))
	f("1767348184007", at(7000000))
	f("1767348184007.5", at(7500000))
	f("1767348184007008", at(7008000))
	f("1767348184007008009", at(7008009))
	f("9223372036854775807", Timestamp{})
	f("99999999999", Timestamp{})
	f("0.35", Timestamp{})
	f("-1767348184", Timestamp{})
	f("1.767348184e9", Timestamp{})
	f("2026-01-02T10:03:04Z", Timestamp{})
	f("", Timestamp{})
}
