package conventions

import (
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
	f("name: a\n"+key+"from: {logs: [{attribute: k, body: x}]}\nto: {}", "links.0.from.logs.0: must have one of attribute and body")
	f("name: a\n"+key+"from: {}\nlogs: [{body: done}]", `links.0.logs.0.body: must be text with one {key} in it (got "done")`)
	f("name: a\n"+key+"from: {}\nlogs: [{body: '{key}'}]", `links.0.logs.0.body: must be text with one {key} in it (got "{key}")`)
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
