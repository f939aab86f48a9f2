package delivery

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.uber.org/multierr"
)

var (
	errNow  = errors.New("not now")
	errEver = consumererror.NewPermanent(errors.New("never"))
)

func TestRefused(t *testing.T) {
	for err, want := range map[error]bool{
		nil:                                 false,
		errNow:                              false,
		errEver:                             true,
		fmt.Errorf("exporter: %w", errEver): true,
		multierr.Append(errEver, consumererror.NewPermanent(nil)): true,
	} {
		assert.Equal(t, want, Refused(err), "%v", err)
	}
	assert.False(t, Refused(multierr.Append(errEver, errNow)), "one may take them yet")
}

func TestUnsent(t *testing.T) {
	logs, traces := plog.NewLogs(), ptrace.NewTraces()
	logs.ResourceLogs().AppendEmpty()
	traces.ResourceSpans().AppendEmpty()
	someLogs, someTraces := consumererror.NewLogs(errNow, logs), consumererror.NewTraces(errNow, traces)

	gotLogs, ok := UnsentLogs(fmt.Errorf("exporter: %w", someLogs))
	assert.True(t, ok)
	assert.Equal(t, logs, gotLogs)
	gotTraces, ok := UnsentTraces(someTraces)
	assert.True(t, ok)
	assert.Equal(t, traces, gotTraces)

	_, ok = UnsentLogs(errNow)
	assert.False(t, ok)
	_, ok = UnsentLogs(someTraces)
	assert.False(t, ok)
	// Another may have failed as a whole.
	_, ok = UnsentLogs(multierr.Append(someLogs, errNow))
	assert.False(t, ok)
	_, ok = UnsentTraces(multierr.Append(someTraces, errNow))
	assert.False(t, ok)
}
