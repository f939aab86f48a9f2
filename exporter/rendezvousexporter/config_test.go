// SPDX-License-Identifier: Apache-2.0

package rendezvousexporter

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/collector/exporter/exportertest"

	"github.com/otelcol-tc/otelcol-tc/exporter/rendezvousexporter/internal/metadata"
	"github.com/otelcol-tc/otelcol-tc/tests/configtest"
)

func TestErrorsNameKeyRuleAndValue(t *testing.T) { configtest.Errors(t, defaultConfig) }

func TestWithoutEndpoints(t *testing.T) {
	_, err := NewFactory().CreateTraces(t.Context(), exportertest.NewNopSettings(metadata.Type), defaultConfig())
	assert.ErrorIs(t, err, errNoList)
}
