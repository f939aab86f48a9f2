// SPDX-License-Identifier: Apache-2.0

package correlation

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-tc/otelcol-tc/conventions"
	"github.com/otelcol-tc/otelcol-tc/conventions/linking"
)

func TestOwnRulesReplaceThoseOfPacks(t *testing.T) {
	own := []linking.Rule{{Name: "a", MaxMembers: 7}}
	packs := []*conventions.Pack{
		{Links: []linking.Rule{{Name: "a"}, {Name: "b", Topology: linking.TopologyFanIn}}},
		{Links: []linking.Rule{{Name: "b"}, {Name: "c"}}},
	}
	var names []string
	var limits []int
	for _, rule := range Rules(own, packs, nil) {
		names = append(names, rule.Name)
		limits = append(limits, rule.Limit())
	}
	assert.Equal(t, []string{"a", "b", "c"}, names)
	assert.Equal(t, []int{7, 1024, 64}, limits)
}

func TestScopeIsPartOfTheKey(t *testing.T) {
	key := func(scope []string, setting []string, attributes, resource map[string]any) Key {
		rule := Rules([]linking.Rule{{Name: "r", Scope: scope}}, nil, setting)[0]
		a, r := pcommon.NewMap(), pcommon.NewMap()
		assert.NoError(t, a.FromRaw(attributes))
		assert.NoError(t, r.FromRaw(resource))
		var w Writer
		rule.BeginKey(&w, a, r)
		assert.True(t, w.AddText("value", &linking.Normalise{}))
		return w.Key()
	}
	prod := map[string]any{"env": "prod", "tenant": "a"}
	want := key([]string{"env"}, []string{"tenant"}, nil, prod)
	assert.Equal(t, want, key([]string{"tenant", "env"}, []string{"env"}, nil, prod), "order and repetition mean nothing")
	assert.Equal(t, want, key([]string{"env"}, []string{"tenant"}, map[string]any{"tenant": "a", "env": "x"}, map[string]any{"env": "prod"}),
		"what the resource says goes before what the span says")
	assert.NotEqual(t, want, key([]string{"env"}, []string{"tenant"}, nil, map[string]any{"env": "prod", "tenant": "b"}))
	assert.NotEqual(t, want, key([]string{"env"}, []string{"tenant"}, nil, map[string]any{"env": "prod"}))
}

// Two processes of one deployment can state its environment by the name of different conventions.
func TestEnvironmentIsOneField(t *testing.T) {
	key := func(setting string, attributes, resource map[string]any) Key {
		rule := Rules([]linking.Rule{{Name: "r", Scope: []string{"k8s.namespace.name", setting}}}, nil, []string{"deployment.environment.name"})[0]
		a, r := pcommon.NewMap(), pcommon.NewMap()
		assert.NoError(t, a.FromRaw(attributes))
		assert.NoError(t, r.FromRaw(resource))
		var w Writer
		rule.BeginKey(&w, a, r)
		return w.Key()
	}
	const newer, older = "deployment.environment.name", "deployment.environment"
	want := key(newer, nil, map[string]any{newer: "staging"})
	assert.Equal(t, want, key(newer, nil, map[string]any{older: "staging"}))
	assert.Equal(t, want, key(older, nil, map[string]any{newer: "staging"}), "a setting may have either name")
	assert.Equal(t, want, key(older, nil, map[string]any{newer: "staging", older: "production"}), "the newer name goes before the older")
	assert.Equal(t, want, key(newer, map[string]any{newer: "production"}, map[string]any{older: "staging"}), "the resource goes before the item")
	assert.Equal(t, want, key(newer, map[string]any{older: "staging"}, nil))
	for name, other := range map[string]Key{
		"another environment":  key(newer, nil, map[string]any{older: "production"}),
		"no environment":       key(newer, nil, nil),
		"another field's name": key(newer, nil, map[string]any{"k8s.namespace.name": "staging"}),
	} {
		assert.NotEqual(t, want, other, name)
	}
}
