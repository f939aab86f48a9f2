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

func TestLinkErrors(t *testing.T) {
	f := func(rule, want string) {
		t.Helper()
		text := "system: shop\nowns: {all: true}\nlinks:\n  - " + strings.ReplaceAll(rule, "\n", "\n    ") + "\n"
		_, err := Parse("shop.yaml", []byte(text))
		assert.ErrorContains(t, err, want, rule)
	}
	const key = "key: {span_attribute: k}\n"
	f("name: A\n"+key+"from: {}\nto: {}", "shop.yaml:4: pack.links.0.name: 'A' does not match pattern")
	f("name: a\n"+key+"to: {}", `shop.yaml:4: links.0.from: must be set, or stages in its place (got neither in "a")`)
	f("name: a\n"+key+"from: {}\nstages: [{}, {}]", `links.0.stages: must replace from and to (got both in "a")`)
	f("name: a\n"+key+"topology: chain\nstages: [{}]", "pack.links.0.stages: minItems: got 1, want 2")
	f("name: a\n"+key+"from: {}\nto: {logs: [{attribute: k}]}", "links.0.to.logs: must be in from: a log that comes later cannot carry a link (got 1)")
	f("name: a\n"+key+"from: {logs: [{attribute: k}], kind: server}\nto: {}", "links.0.from.logs: must be set alone or with service")
	f("name: a\n"+key+"topology: chain\nfrom: {logs: [{attribute: k}]}\nto: {}", "links.0.from.logs: must not be in a chain")
	f("name: a\n"+key+"from: {logs: [{attribute: k, ids: span}]}\nto: {}", "links.0.from.logs.0.ids: must be in the logs of the rule")
	f("name: a\n"+key+"from: {logs: [{attribute: k, body: x}]}\nto: {}", "links.0.from.logs.0: must have one of attribute, body and tokens (got 2)")
	f("name: a\n"+key+"from: {}\nlogs: [{body: done}]", `links.0.logs.0.body: must be text with one {key} or {keys} in it (got "done")`)
	f("name: a\n"+key+"from: {}\nlogs: [{body: '{key}'}]", `links.0.logs.0.body: must be text with one {key} or {keys} in it (got "{key}")`)
	f("name: a\nkey: {all: [{span_attribute: k, resource_attribute: r}, {span_attribute: l}]}\nfrom: {}\nto: {}",
		"links.0.key.all.0: must have one of span_attribute and resource_attribute (got 2)")
	f("name: a\nkey: {all: [{span_attribute: k}, {span_attribute: l}], normalise: {integer: true}}\nfrom: {}\nto: {}",
		"links.0.key.normalise: must be in the parts of all")
	f("name: a\n"+key+"from: {logs: [{attribute: k}]}\nlogs: [{attribute: k}]", "links.0.to: must be set where from has logs")
	f("name: a\n"+key+"from: {}\nlogs: [{attribute: k}]\nhold: 5s", "links.0.hold: must not be set without to, since nothing is linked (got 5s)")
	f("name: a\n"+key+"from: {key: {}}\nto: {}", "links.0.from.key: must have one of span_attribute, resource_attribute, event_attribute and all (got 0)")
	f("name: a\n"+key+"from: {}\nto: {}\nwindow: soon", "pack.links.0.window: 'soon' does not match pattern")
}

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

// A span that waits longer than its rule remembers finds nobody. It is refused where it is written, not when
// the index is known.
func TestHoldIsShorterThanTheWindow(t *testing.T) {
	_, err := LinkRules("rules", []any{map[string]any{"name": "a", "key": map[string]any{"span_attribute": "k"},
		"from": map[string]any{}, "to": map[string]any{}, "window": "5s", "hold": "5s"}})
	assert.ErrorContains(t, err, "rules.0.hold: must be shorter than the window, 5s (got 5s)")
}

// A key that naming renames, removes or changes before a rule reads it would link nothing, or all.
func TestHiddenKeys(t *testing.T) {
	const attributes = `
attributes:
  - {key: job, rename: tc.job.id}
  - {key: secret, sensitive: redact}
  - {key: gone, sensitive: remove}
  - {key: kind, allowed: [a, b]}
  - {key: shop.same, rename: shop.same, id: true}
  - {key: deployment.environment, rename: deployment.environment.name}
`
	shop := "system: shop\nowns: {resource: {service.name: [shop, 'shop-*']}}" + attributes
	for rule, want := range map[string]string{
		"key: {span_attribute: job}\nfrom: {}\nto: {}":                                          `key.span_attribute: "job" of rule "a" is renamed to "tc.job.id" by the pack "shop", so that the rule does not see it`,
		"key: {all: [{span_attribute: k}, {resource_attribute: gone}]}\nfrom: {}\nto: {}":       `key.all.1.resource_attribute: "gone" of rule "a" is removed by the pack "shop"`,
		"key: {event_attribute: secret}\nfrom: {}\nto: {}":                                      `key.event_attribute: "secret" of rule "a" is redacted by the pack "shop"`,
		"key: {span_attribute: k}\nscope: [k, kind]\nfrom: {}\nto: {}":                          `scope.1: "kind" of rule "a" has no other than its allowed values by the pack "shop"`,
		"key: {span_attribute: k}\nfrom: {}\nto: {key: {span_attribute: job}}":                  `to.key.span_attribute: "job" of rule "a" is renamed`,
		"key: {span_attribute: k}\nfrom: {attributes: {job: x}}\nto: {}":                        `from.attributes.job: "job" of rule "a" is renamed`,
		"key: {span_attribute: k}\nfrom: {}\nlogs: [{attribute: l}, {attribute: job}]":          `logs.1.attribute: "job" of rule "a" is renamed`,
		"key: {span_attribute: k}\nfrom: {logs: [{attribute: job}]}\nto: {}":                    `from.logs.0.attribute: "job" of rule "a" is renamed`,
		"key: {span_attribute: k}\ntopology: chain\nstages: [{}, {key: {span_attribute: job}}]": `stages.1.key.span_attribute: "job" of rule "a" is renamed`,
		"key: {span_attribute: tc.job.id}\nfrom: {}\nto: {}":                                    "",
		"key: {span_attribute: shop.same}\nfrom: {}\nto: {}":                                    "",
		"key: {span_attribute: k}\nscope: [deployment.environment]\nfrom: {}\nto: {}":           "",
		"key: {span_attribute: k}\nfrom: {attributes: {kind: a}}\nto: {}":                       "",
	} {
		links := "links:\n  - name: a\n    " + strings.ReplaceAll(rule, "\n", "\n    ") + "\n"
		check := func(err error, where string) {
			t.Helper()
			if want == "" {
				assert.NoError(t, err, rule)
			} else {
				assert.ErrorContains(t, err, where+"links.0."+want, rule)
			}
		}
		_, err := Parse("shop.yaml", []byte(shop+links))
		check(err, "")
		if want != "" {
			assert.Regexp(t, `^shop\.yaml:\d+: links\.0\.`, err.Error(), "the file and the line")
		}

		// Of a pack that decides for all telemetry.
		dir := t.TempDir()
		write := func(name, text string) string {
			file := filepath.Join(dir, name)
			require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
			return file
		}
		all := write("all.yaml", "system: shop\nowns: {all: true}"+attributes)
		till := write("till.yaml", "system: till\nowns: {resource: {service.name: [till]}}\n"+links)
		_, err = Load([]any{all, till})
		check(err, "packs[1]: "+till+": ")
		// One that decides for another system's telemetry changes nothing of it.
		_, err = Load([]any{write("shop.yaml", shop), till})
		assert.NoError(t, err)
	}
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
