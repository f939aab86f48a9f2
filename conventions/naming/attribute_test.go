package naming

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestAttributeForm(t *testing.T) {
	f := func(key, want string) {
		t.Helper()
		assert.True(t, NeedsForm(key), key)
		assert.Equal(t, want, AttributeForm(key))
		if want != "" {
			assert.False(t, NeedsForm(want), "a second time: %s", key)
		}
	}
	f("tc.Artifact.ID", "tc.artifact.id")
	f("tc.sourceType", "tc.source_type")
	f("TC.location", "tc.location")
	f("tc.p2p-port", "tc.p2p_port")
	f("tc.a:b/c", "tc.a.b.c")
	f("tc..x.", "tc.x")
	f("tc.…", "")

	for _, key := range []string{"tc.artifact.id", "tc.view.id_prefix", "tc", "tc.", "tcp.port", "Tango.x", "service.name", ""} {
		assert.False(t, NeedsForm(key), key)
	}
}

func TestAttributeRenames(t *testing.T) {
	n := newNamer(t, Options{})
	assert.Equal(t, "tc.base_model", tuft.owner(n).AttributeRenames()["base_model"])
	assert.NotContains(t, daemon.owner(n).AttributeRenames(), "base_model")
	assert.Nil(t, unowned.owner(n).AttributeRenames())
}
