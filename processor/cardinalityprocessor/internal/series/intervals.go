// SPDX-License-Identifier: Apache-2.0

package series

import (
	"slices"

	"go.opentelemetry.io/collector/pdata/pcommon"
)

// intervals remember the last points of a delta stream by hashes of their start and time. A
// point that is not newer than the stream's last one is a repetition if it is among them.
// Else it is late, because requests overtook each other, and counts. The zero value is empty. Snapshots
// store the fields under these names.
type intervals struct {
	Last [16]uint32 // 0 for none
	Next uint32
}

func (v *intervals) has(start, time pcommon.Timestamp) bool {
	return slices.Contains(v.Last[:], hashInterval(start, time))
}

func (v *intervals) add(start, time pcommon.Timestamp) {
	v.Last[v.Next%uint32(len(v.Last))] = hashInterval(start, time)
	v.Next++
}

// hashInterval returns a hash that is not 0.
func hashInterval(start, time pcommon.Timestamp) uint32 {
	h := (uint64(start)*0x9E3779B97F4A7C15 ^ uint64(time)) * 0xD6E8FEB86659FD93
	return uint32(h>>32) | 1
}
