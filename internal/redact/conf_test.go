// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"maps"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/confmap"
	"go.yaml.in/yaml/v3"
)

func TestConf(t *testing.T) {
	text, err := os.ReadFile("testdata/conf.yaml")
	require.NoError(t, err)
	var all []struct{ Settings, Hidden map[string]any }
	require.NoError(t, yaml.Unmarshal(text, &all))
	for _, one := range all {
		conf := confmap.NewFromStringMap(one.Settings)
		before, want := conf.ToStringMap(), maps.Clone(one.Settings)
		maps.Copy(want, one.Hidden)
		assert.Equal(t, want, Conf(conf).ToStringMap())
		assert.Equal(t, before, conf.ToStringMap(), "the given one is not changed")
	}
}
