package namingprocessor

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/xpdata"
	"go.opentelemetry.io/collector/processor/processortest"

	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
	"github.com/otelcol-tc/otelcol-tc/processor/namingprocessor/internal/metadata"
)

// someMap returns a map of some of TuFT's and others' keys as the wire can have it:
// with a key twice, without a key, with one that is not to travel.
func (r random) someMap(t *testing.T) pcommon.Map {
	t.Helper()
	keys := []string{
		"base_model", "queue_state", "operation", "status", "model_id", "tc.Model.Id", "tc.model.id",
		"tc.base_model", "tuft.request_id", "http.route", "prompt", "gpu_id", "", "tc.…",
	}
	n := 1 + r.IntN(6)
	keys = keys[r.IntN(len(keys)-n):][:n]
	if r.IntN(5) == 0 {
		keys = append(keys, keys[r.IntN(n)])
	}
	var attributes []string
	for i, key := range keys {
		attributes = append(attributes, fmt.Sprintf(`{"key": %q, "value": {"intValue": "%d"}}`, key, i))
	}
	document := fmt.Sprintf(`{"resourceLogs": [{"resource": {"attributes": [%s]}}]}`, strings.Join(attributes, ","))
	ld, err := (&plog.JSONUnmarshaler{}).UnmarshalLogs([]byte(document))
	require.NoError(t, err)
	return ld.ResourceLogs().At(0).Resource().Attributes()
}

func entries(m pcommon.Map) []string {
	var all []string
	for key, value := range m.All() {
		all = append(all, fmt.Sprintf("%s=%s %s", key, value.Type(), value.AsString()))
	}
	slices.Sort(all)
	return all
}

// TestRenameInPlaceIsRekey: however many maps of whatever keys come one after the
// other, the way that learns gives what the way that does not gives, with the same
// counts.
func TestRenameInPlaceIsRekey(t *testing.T) {
	for seed := range uint64(300) {
		r := random{rand.New(rand.NewPCG(seed, 7))}
		p, err := newProcessor(processortest.NewNopSettings(metadata.Type), defaultConfig(), "logs")
		require.NoError(t, err)
		learning, plain := p.newWalk(), p.newWalk()
		owners := p.namer.Systems()
		for range 50 {
			owner, shape := owners[r.IntN(len(owners))], r.someMap(t)
			for i := range 1 + r.IntN(4) {
				one, other := pcommon.NewMap(), pcommon.NewMap()
				shape.PutStr("n", fmt.Sprint(i))
				shape.CopyTo(one)
				shape.CopyTo(other)
				for kind := range plain.items {
					for j := range plain.items[kind] {
						plain.items[kind][j].rename.state = renamingNotInPlace
					}
				}
				got := learning.attributes(one, learning.items, owner)
				want := plain.attributes(other, plain.items, owner)
				require.Equal(t, entries(other), entries(one), "seed %d", seed)
				require.Equal(t, want, got, "seed %d", seed)
			}
		}
		assert.Equal(t, plain.tally, learning.tally, "seed %d", seed)
	}
}

// TestNoAttributeIsLost: whatever keys become one, each value is still there under
// one key or another, no key comes twice that did not, and a second pass changes
// nothing.
func TestNoAttributeIsLost(t *testing.T) {
	keys := []string{
		"node", "TC.node", "tc.node", "tc.Node", "artifact_id", "TC.artifact.id", "tc.artifact.id",
		"tc.Foo", "tc.FOO", "tc.foo", "component", "other",
	}
	p, err := newProcessor(processortest.NewNopSettings(metadata.Type), defaultConfig(), "logs")
	require.NoError(t, err)
	owner := p.namer.Systems()[slices.IndexFunc(p.namer.Systems(), func(s *naming.System) bool { return s.Name() == "tensorcast" })]
	for seed := range uint64(3000) {
		r := random{rand.New(rand.NewPCG(seed, 8))}
		m := pcommon.NewMap()
		for i, j := range r.Perm(len(keys))[:1+r.IntN(len(keys))] {
			m.PutInt(keys[j], int64(i))
		}
		before := m.Len()
		w := p.newWalk()
		w.attributes(m, w.items, owner)
		got := m.AsRaw() // which would lose a key that is there twice
		require.Len(t, got, before, "seed %d: %v", seed, got)
		values := map[any]bool{}
		for _, value := range got {
			values[value] = true
		}
		require.Len(t, values, before, "seed %d: %v", seed, got)

		w = p.newWalk()
		w.attributes(m, w.items, owner)
		require.Equal(t, got, m.AsRaw(), "seed %d", seed)
		assert.Zero(t, w.changes[slot(naming.AttributeRename, owner)]+w.changes[slot(naming.AttributeKeyForm, owner)], "seed %d", seed)
	}
}

// TestManyAttributesInTime: the time for a map grows with its length, not faster.
func TestManyAttributesInTime(t *testing.T) {
	p, err := newProcessor(processortest.NewNopSettings(metadata.Type), defaultConfig(), "logs")
	require.NoError(t, err)
	var b xpdata.MapBuilder
	const n = 64_000
	for i := range n {
		b.AppendEmpty(fmt.Sprintf("tc.A%d", i)).SetInt(int64(i))
	}
	m := pcommon.NewMap()
	b.UnsafeIntoMap(m)
	began := time.Now()
	w := p.newWalk()
	w.attributes(m, w.items, nil)
	// It takes 0.2 s, and 3 under the race detector on a busy machine.
	assert.Less(t, time.Since(began), 15*time.Second)
	assert.Equal(t, n, m.Len())
}
