// SPDX-License-Identifier: Apache-2.0

package naming

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/otelcol-tc/otelcol-tc/conventions"
)

func TestAttributeForm(t *testing.T) {
	f := func(key, want string) {
		t.Helper()
		assert.True(t, needsForm(key), key)
		assert.Equal(t, want, attributeForm(key))
		if want != "" {
			assert.False(t, needsForm(want), "a second time: %s", key)
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
		assert.False(t, needsForm(key), key)
	}
}

func TestAttributeDecisions(t *testing.T) {
	n := newNamer(t, Options{})
	f := func(from source, key string, want *AttributeDecision) {
		t.Helper()
		assert.Equal(t, want, n.Attribute(from.owner(n), key), key)
	}
	f(tuft, "base_model", &AttributeDecision{Key: "tc.base_model", Rule: AttributeRename, AnyValue: true})
	f(daemon, "base_model", nil)
	f(unowned, "base_model", nil)
	f(daemon, "tc.source.type", &AttributeDecision{Key: "tc.source.type", Rule: Conformant, Allowed: []string{"remote", "disk"}})
	f(daemon, "tc.Source.Type", &AttributeDecision{Key: "tc.source.type", Rule: AttributeKeyForm, Allowed: []string{"remote", "disk"}})
	f(daemon, "tc.size.bytes", &AttributeDecision{Key: "tc.size.bytes", Rule: Conformant, Type: conventions.TypeInt})
	f(unowned, "tc.size.bytes", nil)
	f(unowned, "tc.…", &AttributeDecision{Key: "tc.…", Rule: Unnameable, AnyValue: true})
	f(unowned, "gen_ai.prompt", nil)
	f(tuft, "oai.messages", &AttributeDecision{Key: "oai.messages", Rule: Conformant, Sensitive: conventions.SensitiveRedact})
	f(unowned, "prompt_tokens", nil)
	f(unowned, "prompt.length", nil)
}
