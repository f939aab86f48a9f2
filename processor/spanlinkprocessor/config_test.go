// SPDX-License-Identifier: Apache-2.0

package spanlinkprocessor

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer/consumertest"

	"github.com/otelcol-tc/otelcol-tc/tests/configtest"
)

func TestErrorsNameKeyRuleAndValue(t *testing.T) { configtest.Errors(t, createDefaultConfig) }

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
