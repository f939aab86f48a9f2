// SPDX-License-Identifier: Apache-2.0

package redisindex

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/otelcol-tc/otelcol-tc/extension/correlationindexextension/internal/member"
	"github.com/otelcol-tc/otelcol-tc/internal/correlation"
)

// FuzzReply: whatever a Redis answers that others write to as well, it is read or refused, and no
// more members are found than there were elements.
func FuzzReply(f *testing.F) {
	m := correlation.Member{TraceState: "a=b", Start: 5, End: 7}
	var p member.Packed
	state := p.Pack(&m)
	element := fmt.Sprintf("%016d%016d%c%s%s", 1, 2, rune(elementVersion), p[:], state)
	f.Add(int64(1), element, element, true)
	f.Add(int64(0), element, element[:elementMember], true)
	f.Add(int64(placePoisons), "", "", false)
	f.Add(int64(2), element[:elementState-1], element[:elementMember]+"\x02later", true)
	f.Fuzz(func(t *testing.T, place int64, first, second string, texts bool) {
		reply := []any{place, first, second}
		if !texts {
			reply[2] = place
		}
		var room reader
		r, err := room.result(&correlation.Request{}, reply)
		if err != nil || r.Poisoned {
			assert.Empty(t, r.Members)
			return
		}
		assert.LessOrEqual(t, len(r.Members), 2)
	})
}
