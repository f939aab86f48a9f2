// Package delivery reads what the next component answers. Where several pipelines or
// exporters follow, their answers come together.
package delivery

import (
	"errors"

	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.uber.org/multierr"
)

// Refused tells that all that failed refuses the data for good: repeating them is in
// vain.
func Refused(err error) bool {
	for _, part := range multierr.Errors(err) {
		if !consumererror.IsPermanent(part) {
			return false
		}
	}
	return err != nil
}

// UnsentLogs are what is left to send after a failure, where only one has failed and
// says it.
func UnsentLogs(err error) (plog.Logs, bool) {
	var left consumererror.Logs
	if len(multierr.Errors(err)) != 1 || !errors.As(err, &left) {
		return plog.Logs{}, false
	}
	return left.Data(), true
}

// UnsentTraces are what is left to send after a failure, where only one has failed and
// says it.
func UnsentTraces(err error) (ptrace.Traces, bool) {
	var left consumererror.Traces
	if len(multierr.Errors(err)) != 1 || !errors.As(err, &left) {
		return ptrace.Traces{}, false
	}
	return left.Data(), true
}
