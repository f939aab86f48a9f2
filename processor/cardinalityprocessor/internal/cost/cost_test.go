// SPDX-License-Identifier: Apache-2.0

package cost

import (
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-tc/otelcol-tc/internal/attrhash"
	"github.com/otelcol-tc/otelcol-tc/internal/conformance"
	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor/internal/plan"
)

// observe observes streams with attributes once each.
func observe(t *testing.T, m *Metric, streams int, attributes func(i int) map[string]any) {
	t.Helper()
	for i := range streams {
		attrs := pcommon.NewMap()
		require.NoError(t, attrs.FromRaw(attributes(i)))
		m.Observe(Stream{Seed: 1, Series: attrhash.Map(1, attrs)}, attrs, &plan.Keys{})
	}
}

func byKey(e Estimate) map[string]Attribute {
	all := map[string]Attribute{}
	for _, a := range e.Attributes {
		all[a.Key] = a
	}
	return all
}

// TestIDs checks which attributes are suspected to hold ids.
func TestIDs(t *testing.T) {
	table := New(time.Minute, time.Now())
	few := table.Follow("shop", "few", 60)
	observe(t, few, 60, func(i int) map[string]any {
		return map[string]any{"route": i % 20, "method": i % 3, "session": fmt.Sprintf("cmpl-%x", 0x7f3a9c21d4e5+i%15*7919)}
	})
	known := byKey(few.Estimate())
	assert.Equal(t, conformance.IDSuspected, known["session"].ID, "its values look like ids")
	assert.Empty(t, known["route"].ID)
	assert.Empty(t, known["method"].ID)

	many := table.Follow("shop", "many", 20_000)
	observe(t, many, 20_000, func(i int) map[string]any {
		return map[string]any{"request": i, "host": "host-" + strconv.Itoa(i%100), "zone": i % 3}
	})
	known = byKey(many.Estimate())
	assert.Equal(t, conformance.IDSuspected, known["request"].ID, "most series have one of their own")
	assert.InEpsilon(t, 20_000, known["request"].Values, 0.35)
	assert.InEpsilon(t, 300, known["request"].Without, 0.1)
	assert.Empty(t, known["host"].ID)
	assert.InEpsilon(t, 100, known["host"].Values, 0.35)
	assert.Equal(t, 3, known["zone"].Values)
}

// TestLateAttribute checks that the series before an attribute came are those without it.
func TestLateAttribute(t *testing.T) {
	m := New(time.Minute, time.Now()).Follow("shop", "m", 1000)
	observe(t, m, 1000, func(i int) map[string]any {
		attributes := map[string]any{"k": i}
		if i >= 990 {
			attributes["late"] = i
		}
		return attributes
	})
	known := byKey(m.Estimate())
	assert.InEpsilon(t, 1000, known["late"].Without, 0.1)
	assert.LessOrEqual(t, known["k"].Without, 11)
}

// TestRoom checks that a metric takes the place of one with far fewer series only.
func TestRoom(t *testing.T) {
	table := New(time.Minute, time.Now())
	first := table.Follow("shop", "first", 100)
	for i := 1; i < maxMetrics; i++ {
		require.NotNil(t, table.Follow("shop", strconv.Itoa(i), 100+i))
	}
	assert.Nil(t, table.Follow("shop", "more", 150))
	assert.False(t, first.Gone())
	require.NotNil(t, table.Follow("shop", "more", 200))
	assert.True(t, first.Gone())
}
