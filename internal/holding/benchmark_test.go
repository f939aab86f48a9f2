// SPDX-License-Identifier: Apache-2.0

package holding

import (
	"context"
	"testing"
	"time"
)

// BenchmarkHold holds a value and delivers it.
func BenchmarkHold(b *testing.B) {
	q := New(Options[int]{
		MaxItems: 10_000, MaxBytes: 1 << 20,
		Release: func(context.Context, []int, Reason) {},
		Deliver: func(context.Context, []int) error { return nil },
		Lost:    func(int, error) {},
	})
	_ = q.Start(b.Context())
	b.ReportAllocs()
	for b.Loop() {
		q.Hold(1, 1, time.Hour)
	}
	_ = q.Shutdown(context.Background())
}
