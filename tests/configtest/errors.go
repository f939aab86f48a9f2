// SPDX-License-Identifier: Apache-2.0

// Package configtest checks what components say of settings.
package configtest

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/confmap"
	"go.yaml.in/yaml/v3"
)

// Errors checks the configurations of testdata/errors.yaml: what the error of each names, or that it is valid.
func Errors(t *testing.T, create func() component.Config) {
	t.Helper()
	content, err := os.ReadFile("testdata/errors.yaml")
	require.NoError(t, err)
	var cases []struct {
		Config map[string]any
		Error  string
	}
	require.NoError(t, yaml.Unmarshal(content, &cases))
	require.NotEmpty(t, cases)
	for _, c := range cases {
		cfg := create()
		err := confmap.NewFromStringMap(c.Config).Unmarshal(cfg)
		if err == nil {
			err = confmap.Validate(cfg)
		}
		if c.Error == "" {
			assert.NoError(t, err, c.Config)
			continue
		}
		assert.ErrorContains(t, err, c.Error, c.Config)
	}
}
