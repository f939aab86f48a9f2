// SPDX-License-Identifier: Apache-2.0

package logformat

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/collector/pdata/plog"
)

func TestParseSeverity(t *testing.T) {
	f := func(want plog.SeverityNumber, texts ...string) {
		t.Helper()
		for _, text := range texts {
			assert.Equal(t, want, ParseSeverity(text), text)
		}
	}
	f(plog.SeverityNumberTrace, "TRACE", "trace", "T", "V", "verbose", "10", "DEBUG-4", "TRACE-9")
	f(plog.SeverityNumberDebug, "DEBUG", "d", "20", "INFO-4")
	f(plog.SeverityNumberInfo, "INFO", "Info", "iNfO", "I", "information", "30", "35", "INFO+0")
	f(plog.SeverityNumberInfo2, "NOTICE", "INFO+1")
	f(plog.SeverityNumberInfo3, "INFO+2")
	f(plog.SeverityNumberWarn, "WARN", "warning", "W", "40", "INFO+4")
	f(plog.SeverityNumberWarn4, "ERROR-1")
	f(plog.SeverityNumberError, "ERROR", "err", "E", "50")
	f(plog.SeverityNumberError3, "ALERT")
	f(plog.SeverityNumberFatal, "FATAL", "F", "C", "CRITICAL", "crit", "EMERG", "60", "ERROR+4")
	f(plog.SeverityNumberFatal2, "PANIC")
	f(plog.SeverityNumberFatal4, "FATAL+100")
	f(plog.SeverityNumberUnspecified, "", "BANNER", "x", "9", "70", "-", "INFO+", "INFO+x", "INFO+2x", "INFO+999", "FOO+2", "+2",
		"3.0", "informationalinformational", "99999999999999999999")
}
