// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"maps"
	"testing"

	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/collector/confmap"

	"github.com/otelcol-tc/otelcol-tc/tests/testfiles"
)

func TestConf(t *testing.T) {
	for _, one := range testfiles.Cases[struct{ Settings, Hidden map[string]any }](t, "testdata/conf.yaml") {
		conf := confmap.NewFromStringMap(one.Settings)
		before, want := conf.ToStringMap(), maps.Clone(one.Settings)
		maps.Copy(want, one.Hidden)
		assert.Equal(t, want, Conf(conf).ToStringMap())
		assert.Equal(t, before, conf.ToStringMap(), "the given one is not changed")
	}
}
