// SPDX-License-Identifier: Apache-2.0

package namingprocessor

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"

	"github.com/otelcol-tc/otelcol-tc/tests/pipetest"
)

// repairing returns a host whose policy is that the general rules apply to everybody.
func repairing(t testing.TB) component.Host { return hostWith(t, "unowned: repair") }

// hosts are by the settings of their conventions extension. Their policies do not change, and to load all packs takes
// longer than most tests.
var hosts sync.Map

// hostWith returns a host whose conventions extension has these settings.
func hostWith(t testing.TB, settings string) component.Host {
	t.Helper()
	if host, ok := hosts.Load(settings); ok {
		return host.(component.Host)
	}
	host, err := pipetest.NewHost(t.Context(), []byte(settings))
	require.NoError(t, err)
	hosts.Store(settings, host)
	return host
}
