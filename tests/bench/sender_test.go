// SPDX-License-Identifier: Apache-2.0

package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// senderTo sends to a sink.
func senderTo(t *testing.T, l otlpLoad, width int) *sender {
	s, err := newSink()
	require.NoError(t, err)
	sends, err := newWideSender(s.grpcAddress, l, width)
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, sends.close())
		require.NoError(t, s.close())
	})
	return sends
}

// All that was to go out does, however late, and lateness counts.
func TestOpenLoopSendsAll(t *testing.T) {
	l, err := newLoadOf("logs", 5, 8)
	require.NoError(t, err)
	s := senderTo(t, l, openWidth)
	took, err := s.sendAtRate(t.Context(), 200, 100*time.Millisecond)
	require.NoError(t, err)
	require.Len(t, took, 21)
	require.Equal(t, int64(21*8), s.accepted.Load())
	for _, d := range took {
		require.Positive(t, d)
	}
}

func TestMilliseconds(t *testing.T) {
	var sorted []time.Duration
	for n := range 101 {
		sorted = append(sorted, time.Duration(n)*time.Millisecond)
	}
	require.Equal(t, 50., milliseconds(sorted, 0.5))
	require.Equal(t, 99., milliseconds(sorted, 0.99))
	require.Equal(t, 100., milliseconds(sorted, 1))
}

// Requests of few items have no empty parents, and requests of many are not refused.
func TestRequestsOfAllSizes(t *testing.T) {
	const most = 4 << 20 // bytes, by default
	for _, signal := range allSignals {
		for _, items := range []int{1, 8, 8192} {
			l, err := newLoadOf(signal, latencyAttributes, items)
			require.NoError(t, err)
			require.Less(t, len(l.request), most)
			require.Less(t, len(l.request), 900*items, "%s, %d", signal, items)
		}
	}
}
