// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/confmap/provider/envprovider"
	"go.opentelemetry.io/collector/confmap/provider/fileprovider"

	"github.com/otelcol-tc/otelcol-tc/tests/testfiles"
)

// TestSettingsOf checks that a configuration is read as the collector reads one.
func TestSettingsOf(t *testing.T) {
	for _, text := range []string{
		"", "a", "1", "- a\n- b", "a: [", "a: 1\n---\nb: 2", "# nothing", "~", "{}", "a: {}", "a: {b}", "a:\n  b:\n  c: ~",
		"a: 1\nb: 1.5\nc: true\nd: 2026-11-20\ne: 0x10\nf: 1e3\n'1': one\n\"tru\\x65\": yes\ng: !!str 1\nh: |\n  x\n  y\n",
		"a: 1\na: 2", "a: {b: 1, 'b': 2}", "1: one", "true: x", "~: x", "? [a]\n: x", "? {a: 1}\n: x", "!!binary YQ==: x", "2026-11-20: x", "!x a: 1",
		"a: &a {b: 1}\nc: *a\nd: {<<: *a, e: 2}", "a: &a [1, {b: &b 2}]\nc: [*a, *b]", "a: &a {b: *a}", "a: *b", "a: {<<: 1}", "&k a: 1\nb: *k\n*k : 2",
	} {
		got, gotErr := settingsOf([]byte(text), rootOf([]byte(text)))
		want, wantErr := confmap.NewRetrievedFromYAML([]byte(text))
		if assert.Equal(t, wantErr, gotErr, text) && wantErr == nil {
			gotRaw, gotErr := got.AsRaw()
			wantRaw, wantErr := want.AsRaw()
			assert.Equal(t, wantErr, gotErr, text)
			assert.Equal(t, wantRaw, gotRaw, text)
			_, gotErr = got.AsConf()
			_, wantErr = want.AsConf()
			assert.Equal(t, wantErr, gotErr, text)
		}
	}
}

// A text can include a file that is on the command line too.
func TestIncludedTwice(t *testing.T) {
	part := testfiles.Save(t, "part.yaml", "b: 1")
	whole := testfiles.Save(t, "whole.yaml", "a: 'text ${file:"+part+"}'\nc: ${file:"+part+"}")
	values := NewValues(nil)
	values.Give(part, whole)
	conf, err := resolve(t.Context(), values.Wrap([]confmap.ProviderFactory{envprovider.NewFactory(), fileprovider.NewFactory()}), []string{part, whole})
	require.NoError(t, err)
	assert.Equal(t, map[string]any{"a": "text b: 1", "b": 1, "c": map[string]any{"b": 1}}, conf.ToStringMap())
}
