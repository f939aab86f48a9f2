// SPDX-License-Identifier: Apache-2.0

package spanlinkprocessor

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer/consumertest"
)

func TestConfigErrors(t *testing.T) {
	f := func(settings, want string) {
		t.Helper()
		assert.ErrorContains(t, configure(settings, createDefaultConfig()), want, settings)
	}
	f("mode: try", `mode: must be enforce or audit (got "try")`)
	f(`scope: [a, ""]`, `scope: must not have an empty key`)
	f("max_held_spans: 0", "max_held_spans: must be at least 1 (got 0)")
	f("max_held_mib: -1", "max_held_mib: must be at least 1 (got -1)")
	f("rules: [{name: a, key: {attribute_of_span: k}, from: {}, to: {}}]",
		`rules.0.key: additional properties 'attribute_of_span' not allowed (got "k")`)
	f("rules: [{name: a, key: {span_attribute: k}, from: {kind: sender}, to: {}}]",
		`rules.0.from.kind: value must be one of 'internal', 'server', 'client', 'producer', 'consumer' (got "sender")`)
	f("rules: [{name: a, key: {span_attribute: k}, from: {}, to: {}, hold: 5}]", `rules.0.hold: got number, want string (got "5")`)
	f("rules: [{name: a, key: {span_attribute: k}, from: {}}]", `rules.0.to: must be set, or logs that use the key (got neither in "a")`)
	f("rules: [{name: a, from: {}, to: {}}]", `rules.0.from.key: must be set where the rule has none (got "a")`)
	f("rules: [{name: a, key: {span_attribute: k, event_attribute: e}, from: {}, to: {}}]",
		"rules.0.key: must have one of span_attribute, resource_attribute, event_attribute and all (got 2)")
	f("rules: [{name: a, key: {span_attribute: k}, stages: [{}, {}]}]", `rules.0.topology: must be chain where a rule has stages (got "")`)
	f("rules: [{name: a, key: {span_attribute: k}, from: {}, to: {}}, {name: a, key: {span_attribute: k}, from: {}, to: {}}]",
		`rules.1.name: "a" is the name of an earlier rule`)
}

func TestStartErrors(t *testing.T) {
	f := func(settings string, extensions host, want string) {
		t.Helper()
		p := newProcessor(t, rigSettings{processor: settings}, consumertest.NewNop())
		assert.ErrorContains(t, p.Start(t.Context(), extensions), want)
		require.NoError(t, p.Shutdown(t.Context()))
	}
	index, err := newIndex("window: 1m")
	require.NoError(t, err)
	require.NoError(t, index.Start(t.Context(), componenttest.NewNopHost()))
	defer func() { require.NoError(t, index.Shutdown(t.Context())) }()
	there := host{defaultIndex: index}

	f("", host{}, `index: must be an extension of the service (got "correlation_index")`)
	f("index: correlation_index/other", there, `index: must be an extension of the service (got "correlation_index/other")`)
	f("", host{defaultIndex: struct{ component.Component }{}}, `index: must be a correlation_index extension (got "correlation_index")`)
	f("rules: [{name: a, key: {span_attribute: k}, from: {}, to: {}, window: 2m}]", there,
		"rules: a: window: must not be longer than that of correlation_index, 1m0s (got 2m0s)")
	f("rules: [{name: a, key: {span_attribute: k}, from: {}, to: {}, hold: 1m}]", there,
		"rules: a: hold: must be shorter than the window, 1m0s (got 1m0s)")
}
