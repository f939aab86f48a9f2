// SPDX-License-Identifier: Apache-2.0

package memoryindex

import "testing"

// RequireSound checks what holds at any time in all shards.
func (x *Index) RequireSound(t *testing.T) {
	for i := range x.shards {
		requireSound(t, &x.shards[i])
	}
}
