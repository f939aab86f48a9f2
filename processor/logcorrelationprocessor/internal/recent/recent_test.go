// SPDX-License-Identifier: Apache-2.0

package recent

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/internal/attrhash"
)

func TestMemoryIsBounded(t *testing.T) {
	r := New(time.Hour)
	record := func(i int) []Record { return []Record{{Content: attrhash.Hash{Lo: uint64(i), Hi: 1}}} }
	for i := range 3 * maxRecords {
		r.Claim(record(i))
		require.LessOrEqual(t, len(r.newer)+len(r.older), 2*maxRecords)
	}
	last := record(2*maxRecords + 1)
	r.Claim(last)
	assert.True(t, last[0].Came, "the newer ones are remembered")
	first := record(0)
	r.Claim(first)
	assert.False(t, first[0].Came)
}
