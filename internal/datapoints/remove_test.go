// SPDX-License-Identifier: Apache-2.0

package datapoints

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"
)

// Points of each type are removed by their attributes.
func TestRemoveIf(t *testing.T) {
	for i, fill := range onePoint {
		m, other := pmetric.NewMetric(), pmetric.NewMetric()
		fill(m)
		fill(other)
		for attrs := range Attributes(m) {
			attrs.PutStr("kind", "a")
		}
		Move(other, m)
		has := func(attrs pcommon.Map) bool { _, ok := attrs.Get("kind"); return ok }
		RemoveIf(m, has)
		assert.Equal(t, min(i, 1), count(m), m.Type())
		for attrs := range Attributes(m) {
			assert.False(t, has(attrs), m.Type())
		}
	}
}
