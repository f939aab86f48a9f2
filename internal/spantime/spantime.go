// SPDX-License-Identifier: Apache-2.0

// Package spantime judges the times of spans.
package spantime

import "go.opentelemetry.io/collector/pdata/pcommon"

// earliest is in September 2001, before any span was recorded. A clock that counts from the boot of a
// machine shows 1970, or the years after.
const earliest pcommon.Timestamp = 1e18

// Plausible reports whether a timestamp was set, and by a clock that showed the date.
func Plausible(t pcommon.Timestamp) bool { return t >= earliest }
