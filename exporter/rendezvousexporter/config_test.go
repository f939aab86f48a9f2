// SPDX-License-Identifier: Apache-2.0

package rendezvousexporter

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/exporter/exportertest"
	"go.yaml.in/yaml/v3"

	"github.com/otelcol-tc/otelcol-tc/exporter/rendezvousexporter/internal/metadata"
)

func TestErrorsNameKeyRuleAndValue(t *testing.T) {
	content, err := os.ReadFile("testdata/errors.yaml")
	require.NoError(t, err)
	var refused []struct {
		Config map[string]any
		Error  string
	}
	require.NoError(t, yaml.Unmarshal(content, &refused))
	for _, test := range refused {
		cfg := defaultConfig()
		require.NoError(t, confmap.NewFromStringMap(test.Config).Unmarshal(cfg))
		assert.ErrorContains(t, confmap.Validate(cfg), test.Error, test.Config)
	}
}

func TestWithoutEndpoints(t *testing.T) {
	_, err := NewFactory().CreateTraces(t.Context(), exportertest.NewNopSettings(metadata.Type), defaultConfig())
	assert.ErrorIs(t, err, errNoList)
}
