// SPDX-License-Identifier: Apache-2.0

package scale

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/receiver/otlpreceiver"
	"go.opentelemetry.io/collector/receiver/receivertest"

	"github.com/otelcol-tc/otelcol-tc/tests/loopback"
)

// gateway has what agents sent to it.
type gateway struct {
	address string
	metrics consumertest.MetricsSink
}

// startGateways starts receivers, which end with the test.
func startGateways(t *testing.T, n int) (all []*gateway) {
	t.Helper()
	addresses, err := loopback.FreeAddresses(n)
	require.NoError(t, err)
	for _, address := range addresses {
		g, f := &gateway{address: address}, otlpreceiver.NewFactory()
		cfg, set := f.CreateDefaultConfig(), receivertest.NewNopSettings(f.Type())
		grpc := map[string]any{"grpc": map[string]any{"endpoint": address}}
		require.NoError(t, confmap.NewFromStringMap(map[string]any{"protocols": grpc}).Unmarshal(cfg))
		receiver, err := f.CreateMetrics(t.Context(), set, cfg, &g.metrics)
		run(t, host{}, receiver, err)
		all = append(all, g)
	}
	return all
}

// addressesOf returns the addresses of gateways.
func addressesOf(all []*gateway) (addresses []string) {
	for _, g := range all {
		addresses = append(addresses, g.address)
	}
	return addresses
}

// takePods adds the pods whose metrics came since the last call.
func (g *gateway) takePods(to map[string]bool) {
	for _, md := range g.metrics.AllMetrics() {
		for _, rm := range md.ResourceMetrics().All() {
			pod, _ := rm.Resource().Attributes().Get("k8s.pod.name")
			to[pod.Str()] = true
		}
	}
	g.metrics.Reset()
}
