// SPDX-License-Identifier: Apache-2.0

package logcorrelationprocessor

import (
	"testing"

	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/otelcol-tc/otelcol-tc/tests/configtest"
)

func defaultConfig() *Config { return createDefaultConfig().(*Config) }

// one returns a batch of one record.
func one(fill func(plog.LogRecord)) plog.Logs { return batch(1, 0, fill) }

func only(ld plog.Logs) plog.LogRecord {
	return ld.ResourceLogs().At(0).ScopeLogs().At(0).LogRecords().At(0)
}

const (
	otherTrace = "0af7651916cd43dd8448eb211c80319c"
	otherSpan  = "b7ad6b7169203331"
)

func TestErrorsNameKeyRuleAndValue(t *testing.T) { configtest.Errors(t, createDefaultConfig) }
