// SPDX-License-Identifier: Apache-2.0

package links

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
	"github.com/otelcol-tc/otelcol-tc/tests/payload"
	"github.com/otelcol-tc/otelcol-tc/tests/tcgen/judge"
)

// An index with a directory, over the end of its collector: a span of before is linked.
// A part that cannot be read is none.
func TestLinksOverRestarts(t *testing.T) {
	t.Parallel()
	const unreadable = "A part of the index is lost, since what was stored of it cannot be read"
	begin := func(t *testing.T) (settings linking, directory string, c *collectortest.Collector) {
		directory = t.TempDir()
		settings = linking{
			index: fmt.Sprintf("state_directory: %q", directory),
			spans: payload.RulesOfJobs(longHold),
		}
		return settings, directory, settings.start(t)
	}

	t.Run("stopped", func(t *testing.T) {
		t.Parallel()
		settings, _, c := begin(t)
		// Held until the collector ends.
		put := payload.PostJob(t, c, payload.PutName, "a")
		took := payload.PostJob(t, c, payload.TakeName, "b")
		require.Zero(t, c.Stop(t).Code)
		c = settings.start(t)
		get := payload.PostJob(t, c, payload.GetName, "a")
		awaitLink(t, c, get, backward("handoff", put, get))
		late := payload.PostJob(t, c, payload.PutName, "b")
		awaitLink(t, c, late, judge.Link{Earlier: late, Later: took, Rule: "held", Evidence: "span", Forward: true})
	})
	t.Run("reloaded", func(t *testing.T) {
		t.Parallel()
		_, _, c := begin(t)
		put := payload.PostJob(t, c, payload.PutName, "a")
		c.Reload(t)
		get := payload.PostJob(t, c, payload.GetName, "a")
		awaitLink(t, c, get, backward("handoff", put, get))
	})
	t.Run("corrupt", func(t *testing.T) {
		t.Parallel()
		settings, directory, c := begin(t)
		put := payload.PostJob(t, c, payload.PutName, "a")
		payload.PostJob(t, c, payload.PutName, "other") // damage at the end looks like a kill
		require.Zero(t, c.Stop(t).Code)
		corruptStored(t, directory, put.TraceID)
		c = settings.start(t)
		assert.Contains(t, c.Logs(), unreadable)
		assert.Empty(t, judge.DerivedLinks(awaitSpan(t, c, payload.PostJob(t, c, payload.GetName, "a"))))

		// What comes is linked, and stored.
		put = payload.PostJob(t, c, payload.PutName, "b")
		require.Zero(t, c.Stop(t).Code)
		c = settings.start(t)
		assert.NotContains(t, c.Logs(), unreadable)
		get := payload.PostJob(t, c, payload.GetName, "b")
		awaitLink(t, c, get, backward("handoff", put, get))
	})
}

// corruptStored changes a trace id in the journal.
func corruptStored(t *testing.T, directory string, id pcommon.TraceID) {
	t.Helper()
	changed := 0
	files, err := filepath.Glob(filepath.Join(directory, "journal", "*.segment"))
	require.NoError(t, err)
	for _, file := range files {
		content, err := os.ReadFile(file)
		require.NoError(t, err)
		other := id
		other[0] ^= 1
		changed += bytes.Count(content, id[:])
		require.NoError(t, os.WriteFile(file, bytes.ReplaceAll(content, id[:], other[:]), 0o600))
	}
	require.Positive(t, changed, "places of trace %s in what is stored", id)
}
