// SPDX-License-Identifier: Apache-2.0

package collectortest

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTracesMergesCompleteLines(t *testing.T) {
	const line = `{"resourceSpans":[{"scopeSpans":[{"spans":[{"name":"A"},{"name":"B"}]}]}]}`
	c := &Collector{DataDir: t.TempDir()}
	f := func(content string, wantResources, wantSpans int) {
		t.Helper()
		path := filepath.Join(c.DataDir, "traces.json")
		require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
		got := c.Traces(t)
		assert.Equal(t, wantResources, got.ResourceSpans().Len())
		assert.Equal(t, wantSpans, got.SpanCount())
	}
	f("", 0, 0)
	f(line, 0, 0)
	f(line+"\n", 1, 2)
	f(line+"\n"+line+"\n", 2, 4)
	f(line+"\n"+line[:40], 1, 2)
}

func TestNothingWrittenYet(t *testing.T) {
	c := &Collector{DataDir: t.TempDir()}
	assert.Zero(t, c.Traces(t).SpanCount())
	assert.Zero(t, c.Metrics(t).MetricCount())
	assert.Zero(t, c.LogRecords(t).LogRecordCount())
}
