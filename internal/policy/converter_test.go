// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/confmap"
	"go.yaml.in/yaml/v3"

	"github.com/otelcol-tc/otelcol-tc/tests/testfiles"
)

func TestConverter(t *testing.T) {
	fill := strings.NewReplacer(
		"RULES", `rules: [{name: tuft.session, key: {span_attribute: model_id}, from: {}, to: {}}]`,
		"HIDDEN", `rules.0.key.span_attribute: "model_id" of rule "tuft.session" is renamed to "tc.model.id" by the pack "tuft"`,
	)
	for _, test := range testfiles.Cases[struct{ Name, Config, Error string }](t, "testdata/converter.yaml") {
		t.Run(test.Name, func(t *testing.T) {
			var settings map[string]any
			require.NoError(t, yaml.Unmarshal([]byte(fill.Replace(test.Config)), &settings))
			conf := confmap.NewFromStringMap(settings)
			before := conf.ToStringMap()
			err := NewConverterFactory().Create(confmap.ConverterSettings{}).Convert(t.Context(), conf)
			assert.Equal(t, before, conf.ToStringMap())
			if test.Error == "" {
				assert.NoError(t, err)
				return
			}
			assert.ErrorContains(t, err, fill.Replace(test.Error))
		})
	}
}
