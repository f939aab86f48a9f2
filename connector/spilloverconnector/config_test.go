// SPDX-License-Identifier: Apache-2.0

package spilloverconnector

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/collector/connector/connectortest"
	"go.opentelemetry.io/collector/consumer/consumertest"

	"github.com/otelcol-tc/otelcol-tc/connector/spilloverconnector/internal/metadata"
	"github.com/otelcol-tc/otelcol-tc/tests/configtest"
)

func TestErrorsNameKeyRuleAndValue(t *testing.T) { configtest.Errors(t, createDefaultConfig) }

func TestWithoutADirectory(t *testing.T) {
	_, err := NewFactory().CreateTracesToTraces(t.Context(), connectortest.NewNopSettings(metadata.Type), createDefaultConfig(), consumertest.NewNop())
	assert.ErrorIs(t, err, errNoDirectory)
}
