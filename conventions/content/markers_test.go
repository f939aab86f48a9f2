// SPDX-License-Identifier: Apache-2.0

package content

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Every marker is found wherever it is, and a filter without it is of use: it does not find everything everywhere.
func TestMarkersAreFound(t *testing.T) {
	p := New(Config{}, nil)
	const line = "2026-11-25 10:00:00.123 INFO scheduler.cc:42] 3 chunks of artifact model-7/shard-03 were sent to node-12"
	for i, l := range p.lines {
		require.Less(t, i, 64)
		for _, text := range []string{l.Has, line + l.Has, l.Has + line, line[:20] + l.Has + line[20:]} {
			assert.NotZero(t, p.markers.in(text)&(1<<i), "%q in %q", l.Has, text)
		}
		if len(l.Has) >= markerBytes {
			assert.Zero(t, p.markers.in(line)&(1<<i), "%q in %q", l.Has, line)
		}
	}
}

func FuzzMarkers(f *testing.F) {
	f.Add("Request 7 prompt: x", 2, 9)
	f.Fuzz(func(t *testing.T, text string, from, bytes int) {
		if from < 0 || bytes < 0 || from > len(text) || bytes > len(text)-from {
			t.Skip()
		}
		var m markers
		m.add(5, text[from:from+bytes])
		m.add(63, "is in no text \x00\xff\x00")
		require.NotZero(t, m.in(text)&(1<<5))
		if strings.Contains(text, "is in no text \x00\xff\x00") {
			require.NotZero(t, m.in(text)&(1<<63))
		}
	})
}
