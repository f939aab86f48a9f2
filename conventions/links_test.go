// SPDX-License-Identifier: Apache-2.0

package conventions

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/conventions/linking"
)

func TestLinkRules(t *testing.T) {
	rules, err := LinkRules("rules", []any{map[string]any{
		"name": "handoff", "key": map[string]any{"span_attribute": "job.key"},
		"from": map[string]any{"span_name": "Producer/Put"}, "to": map[string]any{"span_name": []any{"Consumer/*", "Get"}},
		"window": "1m30s", "topology": "star",
	}})
	require.NoError(t, err)
	require.Len(t, rules, 1)
	assert.Equal(t, 90*time.Second, rules[0].Window)
	assert.Equal(t, linking.TopologyStar, rules[0].Topology)
	assert.True(t, rules[0].From.SpanName.Match("Producer/Put"))
	assert.True(t, rules[0].To.SpanName.Match("Get"))
	assert.False(t, rules[0].To.SpanName.Match("Put"))

	none, err := LinkRules("rules", nil)
	require.NoError(t, err)
	assert.Empty(t, none)
}

// Small ids, such as those of processes, are equal in many environments and namespaces.
func TestBuiltinRulesAreScoped(t *testing.T) {
	packs, err := Load(nil)
	require.NoError(t, err)
	for _, pack := range packs {
		for _, rule := range pack.Links {
			for _, field := range []string{"deployment.environment.name", "k8s.namespace.name", "service.namespace"} {
				assert.Contains(t, rule.Scope, field, rule.Name)
			}
		}
	}
}

// The later stage has the link at any timing: it waits for the earlier one. messaging.yaml says why its rule has no hold.
func TestBuiltinRulesHold(t *testing.T) {
	packs, err := Load(nil)
	require.NoError(t, err)
	for _, pack := range packs {
		for _, rule := range pack.Links {
			if (rule.To != nil || len(rule.Stages) > 0) && rule.Name != "messaging.message" {
				assert.Positive(t, rule.Hold, rule.Name)
			}
		}
	}
}

// A pack that decides for all telemetry can hide the key of another pack's rule. One of another system changes
// nothing of it.
func TestHiddenKeysOfOtherPacks(t *testing.T) {
	dir := t.TempDir()
	write := func(name, owns, rules string) string {
		file := filepath.Join(dir, name+".yaml")
		require.NoError(t, os.WriteFile(file, []byte("system: "+name+"\nowns: "+owns+"\n"+rules), 0o600))
		return file
	}
	const attributes = "attributes: [{key: job, rename: tc.job.id}]\n"
	all := write("all", "{all: true}", attributes)
	shop := write("shop", "{resource: {service.name: [shop]}}", attributes)
	till := write("till", "{resource: {service.name: [till]}}",
		"links: [{name: a, key: {span_attribute: k}, scope: [k, job], from: {}, to: {}}]\n")
	_, err := Load([]any{all, till})
	assert.ErrorContains(t, err, "packs[1]: "+till+`: links.0.scope.1: "job" of rule "a" is renamed to "tc.job.id" by the pack "all"`)
	_, err = Load([]any{shop, till})
	assert.NoError(t, err)
}

// A rule of a component's settings has no pack. It is about a pack's telemetry if it replaces a rule of
// the pack or selects its resources.
func TestHiddenKeysOfOwnRules(t *testing.T) {
	packs, err := Load(nil)
	require.NoError(t, err)
	f := func(rule map[string]any, want string) {
		t.Helper()
		rules, err := LinkRules("rules", []any{rule})
		require.NoError(t, err)
		err = CheckHidden("rules", rules, packs)
		if want == "" {
			assert.NoError(t, err)
		} else {
			assert.ErrorContains(t, err, want)
		}
	}
	model := map[string]any{"span_attribute": "model_id"}
	const want = `rules.0.key.span_attribute: "model_id" of rule "%" is renamed to "tc.model.id" by the pack "tuft"`
	f(map[string]any{"name": "own", "key": model, "from": map[string]any{}, "to": map[string]any{}}, "")
	f(map[string]any{"name": "own", "key": model, "from": map[string]any{}, "to": map[string]any{"service": "tuft-*"}}, strings.Replace(want, "%", "own", 1))
	f(map[string]any{"name": "own", "key": model, "from": map[string]any{"attributes": map[string]any{"service.name": "tuft"}}, "to": map[string]any{}}, strings.Replace(want, "%", "own", 1))
	f(map[string]any{"name": "own", "key": model, "from": map[string]any{"service": "shop"}, "to": map[string]any{"service": "*"}}, "")
	form := map[string]any{"span_attribute": "tc.requestId"}
	f(map[string]any{"name": "own", "key": form, "from": map[string]any{}, "to": map[string]any{"service": "tuft-*"}}, `"tc.requestId" of rule "own" is renamed to lower_snake_case`)
	f(map[string]any{"name": "own", "key": form, "from": map[string]any{}, "to": map[string]any{}}, `"tc.requestId" of rule "own" is renamed to lower_snake_case`)
	f(map[string]any{"name": "own", "key": map[string]any{"span_attribute": "tc.request_id"}, "from": map[string]any{}, "to": map[string]any{"service": "tuft-*"}}, "")
	f(map[string]any{"name": "tuft.session", "key": model, "from": map[string]any{}, "to": map[string]any{}}, strings.Replace(want, "%", "tuft.session", 1))
}
