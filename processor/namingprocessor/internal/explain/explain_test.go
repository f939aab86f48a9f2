// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"

	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
)

func TestTableIsBounded(t *testing.T) {
	core, logs := observer.New(zapcore.InfoLevel)
	e := New(zap.New(core), func(string) bool { return true })
	for i := range 3 * maxRows {
		row := e.Decided("s", fmt.Sprint("n.", i), &naming.Decision{Name: "tc_n", Rule: naming.MetricGeneral})
		assert.Equal(t, i < maxRows, row != nil)
		row.Seen(1)
	}
	assert.Equal(t, maxRows, e.rows.Len())
	assert.Equal(t, maxRows, logs.Len())

	// Another service gets rows nevertheless.
	for i := range maxRows / 2 {
		row := e.Decided("other", fmt.Sprint("n.", i), &naming.Decision{Name: "tc_n", Rule: naming.MetricGeneral})
		assert.False(t, row.Gone())
	}
	assert.Equal(t, maxRows, e.rows.Len())
}
