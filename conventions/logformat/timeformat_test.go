// SPDX-License-Identifier: Apache-2.0

package logformat

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/otelcol-tc/otelcol-tc/tests/testfiles"
)

// TestTimes reads the times of testdata/times.yaml.
func TestTimes(t *testing.T) {
	for _, row := range testfiles.Cases[[3]string](t, "testdata/times.yaml") {
		format, text, want := row[0], row[1], row[2]
		var got Timestamp
		if format == "epoch" {
			got = parseTime(text, false)
		} else if n := newTimeFormat(format).read(text, 0, &got); n < 0 {
			got = Timestamp{}
		} else {
			assert.Equal(t, len(text), n, row)
		}
		assert.Equal(t, want, timeText(got), row)
	}
}

// timeText returns a time as it was written, with the offset in seconds, or nothing.
func timeText(at Timestamp) string {
	if at.IsZero() {
		return ""
	}
	text := fmt.Sprintf("%04d-%02d-%02dT%02d:%02d:%02d.%09d", at.Year, at.Month, at.Day, at.Hour, at.Minute, at.Second, at.Nanosecond)
	if at.Zone {
		text += fmt.Sprintf("%+d", at.Offset)
	}
	return text
}
