// SPDX-License-Identifier: Apache-2.0

package scale

import (
	"math/rand/v2"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/exporter"
	"go.opentelemetry.io/collector/exporter/exportertest"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-tc/otelcol-tc/exporter/rendezvousexporter"
	"github.com/otelcol-tc/otelcol-tc/tests/loopback"
)

// settings returns the settings of an exporter of the profile that sends to these gateways.
func settings(t *testing.T, name string, addresses []string) *rendezvousexporter.Config {
	t.Helper()
	t.Setenv("OTELCOL_TC_TIMEOUT", "10m") // a slow machine sends nothing twice
	t.Setenv("OTELCOL_TC_GATEWAYS", `["`+strings.Join(addresses, `","`)+`"]`)
	cfg := rendezvousexporter.NewFactory().CreateDefaultConfig().(*rendezvousexporter.Config)
	configure(t, cfg, "exporters::"+name, "builtin:agent")
	return cfg
}

var rendezvous = rendezvousexporter.NewFactory()

// startTraces starts the exporter of traces.
func startTraces(t *testing.T, addresses []string) exporter.Traces {
	t.Helper()
	e, err := rendezvous.CreateTraces(t.Context(), exportertest.NewNopSettings(rendezvous.Type()), settings(t, "rendezvous", addresses))
	return run(t, host{}, e, err)
}

// startMetrics starts the exporter of metrics.
func startMetrics(t *testing.T, addresses []string) exporter.Metrics {
	t.Helper()
	e, err := rendezvous.CreateMetrics(t.Context(), exportertest.NewNopSettings(rendezvous.Type()), settings(t, "rendezvous", addresses))
	return run(t, host{}, e, err)
}

// startLogs starts an exporter of logs.
func startLogs(t *testing.T, name string, addresses []string) {
	t.Helper()
	e, err := rendezvous.CreateLogs(t.Context(), exportertest.NewNopSettings(rendezvous.Type()), settings(t, name, addresses))
	run(t, host{}, e, err)
}

// atOnce is how many pods' data are in one request.
const atOnce = 10 * pods

// sendPods sends a point of each pod of so many nodes. All agents choose gateways as this one does.
func sendPods(t *testing.T, to exporter.Metrics, nodes int) {
	t.Helper()
	for first := 0; first < nodes*pods; first += atOnce {
		md := pmetric.NewMetrics()
		for pod := first; pod < first+atOnce; pod++ {
			scraped(pod, 1, 1, 1).ResourceMetrics().MoveAndAppendTo(md.ResourceMetrics())
		}
		require.NoError(t, to.ConsumeMetrics(t.Context(), md))
	}
}

// sendTraces sends so many traces.
func sendTraces(t *testing.T, to exporter.Traces, random *rand.Rand, traces int) {
	t.Helper()
	for range traces / atOnce {
		require.NoError(t, to.ConsumeTraces(t.Context(), exported(random, 0, atOnce)))
	}
}

// An agent has four connections to each gateway: its exporters of each signal and of files have their own.
func TestConnections(t *testing.T) {
	const connections, kib = 4, 32
	assert.InDelta(t, connections*nodes*kib>>10, claim(t, "connections of agents, four each", 1), 1)
	addresses, err := loopback.FreeAddresses(gateways)
	require.NoError(t, err)
	var listeners []*net.TCPListener
	for _, address := range addresses {
		l, err := net.Listen("tcp", address)
		require.NoError(t, err)
		listeners = append(listeners, l.(*net.TCPListener))
		defer l.Close() //nolint:errcheck // the test ends
	}
	startTraces(t, addresses)
	startMetrics(t, addresses)
	startLogs(t, "rendezvous", addresses)
	startLogs(t, "rendezvous/files", addresses)
	for _, l := range listeners {
		require.NoError(t, l.SetDeadline(time.Now().Add(time.Minute)))
		for range connections {
			_, err := l.Accept()
			require.NoError(t, err)
		}
	}
}
