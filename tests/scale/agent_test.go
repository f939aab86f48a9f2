// SPDX-License-Identifier: Apache-2.0

package scale

import (
	"context"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/exporter"
	"go.opentelemetry.io/collector/exporter/exportertest"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-tc/otelcol-tc/exporter/rendezvousexporter"
	"github.com/otelcol-tc/otelcol-tc/tests/loopback"
)

var rendezvous = rendezvousexporter.NewFactory()

// startExporter starts an exporter of the agent that sends to these gateways.
func startExporter[E component.Component](t *testing.T, name string, addresses []string,
	create func(context.Context, exporter.Settings, component.Config) (E, error),
) E {
	t.Helper()
	t.Setenv("OTELCOL_TC_TIMEOUT", "10m") // a slow machine sends nothing twice
	t.Setenv("OTELCOL_TC_GATEWAYS", `["`+strings.Join(addresses, `","`)+`"]`)
	cfg := rendezvous.CreateDefaultConfig()
	configure(t, cfg, "exporters::"+name, "builtin:agent")
	e, err := create(t.Context(), exportertest.NewNopSettings(rendezvous.Type()), cfg)
	return run(t, host{}, e, err)
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
	startExporter(t, "rendezvous", addresses, rendezvous.CreateTraces)
	startExporter(t, "rendezvous", addresses, rendezvous.CreateMetrics)
	startExporter(t, "rendezvous", addresses, rendezvous.CreateLogs)
	startExporter(t, "rendezvous/files", addresses, rendezvous.CreateLogs)
	for _, l := range listeners {
		require.NoError(t, l.SetDeadline(time.Now().Add(time.Minute)))
		for range connections {
			_, err := l.Accept()
			require.NoError(t, err)
		}
	}
}
