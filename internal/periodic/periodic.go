// SPDX-License-Identifier: Apache-2.0

// Package periodic calls functions at intervals.
package periodic

import (
	"context"
	"time"
)

// Run calls do after each interval until the context ends, one call at a time. A call that takes longer
// than an interval delays the next call.
func Run(ctx context.Context, interval time.Duration, do func(now time.Time)) {
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-ticker.C:
			do(now)
		}
	}
}
