// SPDX-License-Identifier: Apache-2.0

package logcorrelationprocessor

import (
	"testing"

	"github.com/otelcol-tc/otelcol-tc/tests/pipetest"
)

func TestGolden(t *testing.T) {
	pipetest.Run(t, NewFactory(), "testdata")
}
