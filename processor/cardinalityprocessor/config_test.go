// SPDX-License-Identifier: Apache-2.0

package cardinalityprocessor

import (
	"testing"

	"github.com/otelcol-tc/otelcol-tc/tests/configtest"
)

func TestErrorsNameKeyRuleAndValue(t *testing.T) { configtest.Errors(t, createDefaultConfig) }
