// SPDX-License-Identifier: Apache-2.0

package namingprocessor

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/xpdata"
	"go.opentelemetry.io/collector/processor/processortest"

	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
	"github.com/otelcol-tc/otelcol-tc/processor/namingprocessor/internal/metadata"
)

// TestNoAttributeIsLost checks that each value stays in the map whatever keys become one, that no key
// becomes a duplicate, and that processing again changes nothing.
func TestNoAttributeIsLost(t *testing.T) {
	keys := []string{
		"node", "TC.node", "tc.node", "tc.Node", "artifact_id", "TC.artifact.id", "tc.artifact.id",
		"tc.Foo", "tc.FOO", "tc.foo", "component", "other",
	}
	p := started(t, processortest.NewNopSettings(metadata.Type), defaultConfig(), "logs")
	owner := p.namer.Systems()[slices.IndexFunc(p.namer.Systems(), func(s *naming.System) bool { return s.Name() == "tensorcast" })]
	long := p.newWalk() // it remembers the maps before
	for seed := range uint64(3000) {
		r := random{rand.New(rand.NewPCG(seed, 8))}
		m := pcommon.NewMap()
		for i, j := range r.Perm(len(keys))[:1+r.IntN(len(keys))] {
			m.PutInt(keys[j], int64(i))
		}
		before := m.Len()
		copies := []pcommon.Map{pcommon.NewMap(), pcommon.NewMap()}
		for _, again := range copies {
			m.CopyTo(again)
		}
		w := p.newWalk()
		w.attributes(m, owner)
		got := m.AsRaw() // AsRaw drops duplicate keys
		for _, again := range copies {
			long.attributes(again, owner)
			require.Equal(t, got, again.AsRaw(), "seed %d: what came before matters", seed)
		}
		require.Len(t, got, before, "seed %d: %v", seed, got)
		values := map[any]bool{}
		for _, value := range got {
			values[value] = true
		}
		require.Len(t, values, before, "seed %d: %v", seed, got)

		w = p.newWalk()
		w.attributes(m, owner)
		require.Equal(t, got, m.AsRaw(), "seed %d", seed)
		assert.Zero(t, w.changes[slot(naming.AttributeRename, owner)]+w.changes[slot(naming.AttributeKeyForm, owner)], "seed %d", seed)
	}
}

// Of a key that a sender has twice, both values stay.
func TestNoValueOfADuplicateKeyIsLost(t *testing.T) {
	p := started(t, processortest.NewNopSettings(metadata.Type), defaultConfig(), "logs")
	owner := p.namer.Systems()[slices.IndexFunc(p.namer.Systems(), func(s *naming.System) bool { return s.Name() == "tensorcast" })]
	for _, keys := range [][]string{{"node", "node"}, {"node", "other", "node", "artifact_id"}} {
		var b xpdata.MapBuilder
		for i, key := range keys {
			b.AppendEmpty(key).SetInt(int64(i))
		}
		m := pcommon.NewMap()
		b.UnsafeIntoMap(m)
		p.newWalk().attributes(m, owner)
		values := map[int64]bool{}
		for _, value := range m.All() {
			values[value.Int()] = true
		}
		assert.Len(t, values, len(keys))
	}
}
