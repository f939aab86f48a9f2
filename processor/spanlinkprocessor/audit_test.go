// SPDX-License-Identifier: Apache-2.0

package spanlinkprocessor

import (
	"maps"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"

	"github.com/otelcol-tc/otelcol-tc/tests/pipetest"
)

// of gives a span a service.
func of(service string) func(*spec) {
	return func(s *spec) { s.Resource = map[string]any{"service.name": service} }
}

// newAuditedRig returns a rig with a conventions extension.
func newAuditedRig(t *testing.T, settings rigSettings, conventions string) *rig {
	t.Helper()
	index, err := newIndex("")
	require.NoError(t, err)
	require.NoError(t, index.Start(t.Context(), componenttest.NewNopHost()))
	extension, err := pipetest.NewHost(t.Context(), []byte(conventions))
	require.NoError(t, err)
	extensions := host{defaultIndex: index}
	maps.Copy(extensions, extension.GetExtensions())
	r := &rig{sink: &sink{}, index: index}
	r.Traces = newProcessor(t, settings, r.sink)
	require.NoError(t, r.Start(t.Context(), extensions))
	return r
}

// TestAuditOfOneService checks that spans of an audited service go on at once and without links, and that
// other services' spans are held and linked to them.
func TestAuditOfOneService(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		telemetry := componenttest.NewTelemetry()
		settings := handoff(holdFive)
		settings.processor = "rules:\n" + settings.processor[len("\nrules:\n"):]
		settings.telemetry = telemetry.NewTelemetrySettings()
		r := newAuditedRig(t, settings, "{packs: [messaging], services: {old: {mode: audit}}}")
		audited, enforced := get(2, "k", of("old")), get(3, "k", of("new"))
		r.send(t, audited, enforced)
		got := r.sink.take()
		require.Len(t, got, 1, "only the enforced span waits")
		assert.Equal(t, spanOf(2), got[0].SpanID())
		time.Sleep(time.Second)
		// The producer is audited too. The index has it, so that the enforced span finds it.
		r.send(t, put(1, "k", of("old")))
		got = r.sink.take()
		require.Len(t, got, 1)
		assert.Zero(t, got[0].Links().Len())
		time.Sleep(6 * time.Second)
		synctest.Wait()
		got = r.sink.take()
		require.Len(t, got, 1)
		_, edges := derived(t, got)
		assert.Equal(t, map[edge]bool{{3, 1}: true}, edges)
		// A later span of the audited service is counted as matched, and stays as it is.
		late := get(4, "k", of("old"))
		r.send(t, late, put(5, "l", of("new")))
		got = r.sink.take()
		require.Len(t, got, 2)
		want := batch(late).ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(0)
		assert.Equal(t, marshal(t, want), marshal(t, got[0]))
		assert.Equal(t, map[string]int64{"handoff": 1}, countsOf(telemetry, "held"))
		r.stop(t)
	})
}
