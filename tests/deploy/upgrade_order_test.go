// SPDX-License-Identifier: Apache-2.0

package deploy

import (
	"bytes"
	"fmt"
	"maps"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
	"github.com/otelcol-tc/otelcol-tc/tests/payload"
	"github.com/otelcol-tc/otelcol-tc/tests/tcgen/scenario"
)

// role is an agent or a gateway that is replaced by one with another configuration. It keeps its state and its address.
type role struct {
	*collectortest.Collector
	configs []string
	env     map[string]string
}

func (r *role) start(t *testing.T) {
	t.Helper()
	r.Collector = collectortest.Start(t, collectortest.Options{Configs: r.configs, Env: r.env})
	r.env["OTELCOL_TC_OTLP_GRPC_ENDPOINT"] = r.GRPC
}

// upgrade replaces the process. The new configuration has a fragment more.
func (r *role) upgrade(t *testing.T, fragment string, env map[string]string) {
	t.Helper()
	require.Zero(t, r.Stop(t).Code)
	r.configs = append(r.configs, "builtin:fragments/"+fragment)
	maps.Copy(r.env, env)
	r.start(t)
}

// An upgrade to TLS loses nothing in either order, doubles nothing, and needs no restart but its own: an agent keeps
// what it cannot send to gateways of the other configuration, and stays ready for more.
func TestUpgradeOrder(t *testing.T) {
	t.Parallel()
	for _, order := range [][]string{{"gateway", "agent"}, {"agent", "gateway"}} {
		t.Run(order[0]+" first", func(t *testing.T) {
			t.Parallel()
			authority := collectortest.NewAuthority(t)
			certificate, key := authority.Server(t)
			files := t.TempDir()
			gateway := &role{configs: collectortest.WithFragments("gateway-json-file"), env: map[string]string{
				"OTELCOL_TC_FILES": files, "OTELCOL_TC_STATE": t.TempDir(),
			}}
			gateway.start(t)
			agent := &role{configs: collectortest.WithFragments("agent-host"), env: map[string]string{
				"OTELCOL_TC_GATEWAYS": fmt.Sprintf("[%q]", gateway.GRPC), "OTELCOL_TC_STATE": t.TempDir(),
				"OTELCOL_TC_PATIENCE": "500ms", "OTELCOL_TC_HOST_INTERVAL": "1h",
			}}
			agent.start(t)
			sent := []scenario.SpanRef{payload.PostJob(t, agent.Collector, payload.PutName, "")}
			collectortest.RequireArrived(t, collectortest.OutputOf(files), sent...)

			for i, next := range order {
				if next == "gateway" {
					gateway.upgrade(t, "gateway-tls", map[string]string{"OTELCOL_TC_SERVER_CERT": certificate, "OTELCOL_TC_SERVER_KEY": key})
				} else {
					agent.upgrade(t, "agent-tls", map[string]string{"OTELCOL_TC_GATEWAY_CA": authority.File})
				}
				sent = append(sent, payload.PostJob(t, agent.Collector, payload.PutName, ""))
				if i == 0 {
					collectortest.Eventually(t, collectortest.ArrivalTimeout, func() (bool, string) { // it may still be starting
						page, err := collectortest.GetPage(t.Context(), "http://"+agent.Readiness)
						return err == nil && (next == "gateway" || bytes.Contains(page, []byte("exporter_misconfigured"))), fmt.Sprint(string(page), err)
					})
					require.Len(t, collectortest.RefsOf(collectortest.OutputOf(files).Traces(t)), 1, "they understand each other")
				}
			}
			collectortest.RequireArrived(t, collectortest.OutputOf(files), sent...)
		})
	}
}
