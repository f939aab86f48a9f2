// SPDX-License-Identifier: Apache-2.0

package chaos

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

const (
	// patience bounds what a test waits for one thing, on a busy machine.
	patience = 2 * time.Minute
	// stopLimit is what Kubernetes gives a pod to end.
	stopLimit = 30 * time.Second
	// untilNoted is longer than a queue or a reader of files takes to note what has arrived.
	untilNoted = 10 * time.Second
	mib        = 1 << 20
)

// long skips a test that takes longer than `make test` may.
func long(t *testing.T) {
	t.Helper()
	if os.Getenv("TC_CHAOS") == "" {
		t.Skip("takes long: run make chaos, which sets TC_CHAOS=1")
	}
}

// scenario is a profile, a backend behind it, and what became of the items.
type scenario struct {
	ledger *ledger
	sink   *sink
	row    *row
	// options start the profile, each time with the same state.
	options collectortest.Options
}

// allOnPage is the fragment with which a gateway shows all metrics on its Prometheus page.
const allOnPage = "builtin:fragments/gateway-prometheus-page"

// gatewayScenario is builtin:gateway; agentScenario is builtin:agent on a machine without
// Kubernetes. Names of rows begin with the number that sorts the table.
func gatewayScenario(t *testing.T, name string) *scenario {
	t.Helper()
	s := newScenario(t, name, "builtin:gateway")
	s.options.Env["OTELCOL_TC_BACKEND"] = "http://" + s.sink.http.address
	return s
}

func agentScenario(t *testing.T, name string) *scenario {
	t.Helper()
	s := newScenario(t, name, "builtin:agent", "builtin:fragments/agent-host")
	s.options.Env["OTELCOL_TC_GATEWAYS"] = fmt.Sprintf("[%q]", s.sink.grpc.address)
	s.options.Env["OTELCOL_TC_NODE"] = "node-1"
	return s
}

// newScenario adds the row to the table when the test ends.
func newScenario(t *testing.T, name string, configs ...string) *scenario {
	t.Helper()
	s := &scenario{ledger: &ledger{}, row: &row{name: name}}
	s.sink = startSink(t, s.ledger)
	s.options = collectortest.Options{Configs: configs, Env: map[string]string{
		"OTELCOL_TC_STATE": filepath.Join(t.TempDir(), "state"),
	}}
	t.Cleanup(func() {
		s.row.tally = s.ledger.tally()
		s.row.failed = t.Failed()
		t.Log(s.row)
		addRow(s.row)
	})
	return s
}

// start runs the profile, for the first time or again.
func (s *scenario) start(t *testing.T) (*collectortest.Collector, *client) {
	t.Helper()
	c := collectortest.Start(t, s.options)
	return c, newClient(t, s.ledger, c)
}

// awaitDelivered waits until the backend has all that was accepted. As long as something arrives, it is only slow: what
// was refused as too large comes item by item.
func (s *scenario) awaitDelivered(t *testing.T) {
	t.Helper()
	delivered, since := -1, time.Now()
	collectortest.Eventually(t, 10*patience, func() (bool, string) {
		tally := s.ledger.tally()
		if tally.delivered != delivered {
			delivered, since = tally.delivered, time.Now()
		}
		return tally.dropped == 0 || time.Since(since) > patience, fmt.Sprintf("%+v", tally)
	})
	require.Zero(t, s.ledger.tally().dropped, "nothing arrives any more: %+v", s.ledger.tally())
}

// awaitDeliveries waits until the backend has so many items.
func (s *scenario) awaitDeliveries(t *testing.T, items int) {
	t.Helper()
	collectortest.Eventually(t, patience, func() (bool, string) {
		tally := s.ledger.tally()
		return tally.delivered >= items, fmt.Sprintf("%+v", tally)
	})
}

// awaitQuiet waits until nothing arrives any more.
func (s *scenario) awaitQuiet(t *testing.T) {
	t.Helper()
	before := -1
	collectortest.Eventually(t, patience, func() (bool, string) {
		got := s.sink.asked()
		same := got == before
		before = got
		time.Sleep(time.Second) // more than anything waits on its way
		return same, "data go on arriving"
	})
}

// offerAll offers a few requests of each signal, which have to be accepted.
func offerAll(t *testing.T, c *client) {
	t.Helper()
	for _, signal := range []signal{traces, metrics, logs} {
		offer(t, c, signal, 5)
	}
}

// offer offers requests of one signal, which have to be accepted, by both ways in.
func offer(t *testing.T, c *client, s signal, requests int) {
	t.Helper()
	made := newTemplate(t, shape{signal: s, items: 20})
	for i := range requests {
		via := overHTTP
		if i%2 == 1 {
			via = overGRPC
		}
		require.True(t, c.send(made, via), "%s are accepted; answers: %v", s, c.answers)
	}
}

// note adds to the row's last column.
func (s *scenario) note(format string, args ...any) {
	s.row.notes = append(s.row.notes, fmt.Sprintf(format, args...))
}
