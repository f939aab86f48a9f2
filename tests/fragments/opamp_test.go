// SPDX-License-Identifier: Apache-2.0

package fragments

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/open-telemetry/opamp-go/protobufs"
	"github.com/open-telemetry/opamp-go/server"
	"github.com/open-telemetry/opamp-go/server/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

// opampServer is a small OpAMP server. It remembers the latest of each kind of report.
type opampServer struct {
	address string

	mu            sync.Mutex
	authorization string
	health        *protobufs.ComponentHealth
	description   *protobufs.AgentDescription
	config        string
	components    *protobufs.AvailableComponents
	gone          bool
}

// quiet is a logger for the server.
type quiet struct{}

func (quiet) Debugf(context.Context, string, ...any) {}
func (quiet) Errorf(context.Context, string, ...any) {}

func startOpAMP(t *testing.T) *opampServer {
	t.Helper()
	s := &opampServer{}
	opamp := server.New(quiet{})
	require.NoError(t, opamp.Start(server.StartSettings{
		ListenEndpoint: "127.0.0.1:0",
		Settings: server.Settings{Callbacks: types.Callbacks{OnConnecting: func(r *http.Request) types.ConnectionResponse {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.authorization = r.Header.Get("Authorization")
			return types.ConnectionResponse{Accept: true, ConnectionCallbacks: types.ConnectionCallbacks{
				OnMessage:         s.receive,
				OnConnectionClose: func(types.Connection) { s.mu.Lock(); defer s.mu.Unlock(); s.gone = true },
			}}
		}}},
	}))
	t.Cleanup(func() { assert.NoError(t, opamp.Stop(context.Background())) })
	s.address = opamp.Addr().String()
	return s
}

func (s *opampServer) receive(_ context.Context, _ types.Connection, m *protobufs.AgentToServer) *protobufs.ServerToAgent {
	s.mu.Lock()
	defer s.mu.Unlock()
	if m.Health != nil {
		s.health = m.Health
	}
	if m.AgentDescription != nil {
		s.description = m.AgentDescription
	}
	answer := &protobufs.ServerToAgent{InstanceUid: m.InstanceUid}
	if m.AvailableComponents != nil {
		s.components = m.AvailableComponents
		if len(m.AvailableComponents.Components) == 0 { // a hash only, until the server asks
			answer.Flags = uint64(protobufs.ServerToAgentFlags_ServerToAgentFlags_ReportAvailableComponents)
		}
	}
	if file := m.GetEffectiveConfig().GetConfigMap().GetConfigMap()[""]; file != nil {
		s.config = string(file.Body)
	}
	return answer
}

// With agent-opamp and gateway-opamp, an OpAMP server sees the health, the components and the configuration, in
// which no secret is, also beside the fragments with credentials.
func TestOpAMP(t *testing.T) {
	t.Parallel()
	const secrets = `yaml:
extensions: {basicauth/more: {client_auth: {username: me, password: s3cret}}, bearertokenauth/more: {token: s3cret}}
receivers:
  prometheus/more:
    config: {scrape_configs: [{job_name: more, basic_auth: {username: me, password: s3cret}, static_configs: [{targets: ["127.0.0.1:2"], labels: {origin: "http://me:s3cret@127.0.0.1:2"}}]}]}
processors:
  attributes/more: {actions: [{key: api_key, value: s3cret, action: insert}, {key: a, value: Bearer s3cret, action: insert}]}
service: {telemetry: {resource: {attributes: [{name: auth.token, value: s3cret}]}}}
exporters:
  otlp_http/more: {endpoint: "http://me:s3cret@127.0.0.1:3", headers: {Authorization: s3cret}}
  otlp_http/query: {endpoint: "http://127.0.0.1:3/v1?api_key=s3cret"}
  kafka/more: {auth: {sasl: {username: me, password: s3cret, mechanism: PLAIN}}}
`
	for profile, fragments := range map[string][]string{
		"agent":   {"agent-host", "agent-opamp"},
		"gateway": {"gateway-bearer", "gateway-opamp"},
	} {
		t.Run(profile, func(t *testing.T) {
			t.Parallel()
			tokens := collectortest.WriteFile(t, "tokens", "agents-token\n")
			opamp := startOpAMP(t)
			c := collectortest.Start(t, collectortest.Options{
				Configs: append(collectortest.WithFragments(fragments...), secrets),
				Env: map[string]string{
					"OTELCOL_TC_OPAMP_ENDPOINT":      "ws://" + opamp.address + "/v1/opamp",
					"OTELCOL_TC_OPAMP_AUTHORIZATION": "Bearer s3cret",
					"OTELCOL_TC_HOST_INTERVAL":       "1h",
					"OTELCOL_TC_AGENT_TOKEN_FILE":    tokens,
				},
			})
			collectortest.Eventually(t, collectortest.ArrivalTimeout, func() (bool, string) {
				opamp.mu.Lock()
				defer opamp.mu.Unlock()
				// The agent has no gateway, and says so.
				healthy := opamp.health.GetHealthy()
				if profile == "agent" {
					healthy = !healthy && strings.Contains(opamp.health.String(), "rendezvous")
				}
				return healthy && opamp.config != "" && len(opamp.components.GetComponents()) > 0, fmt.Sprintf("no complete report: %v", opamp.health)
			})
			opamp.mu.Lock()
			assert.Equal(t, "Bearer s3cret", opamp.authorization)
			for line := range strings.Lines(opamp.config) {
				assert.NotContains(t, line, "s3cret")
			}
			assert.Contains(t, opamp.config, "http://REDACTED@127.0.0.1:3")
			assert.Contains(t, opamp.components.String(), "spillover")
			assert.Contains(t, opamp.description.String(), "otelcol-tc")
			assert.NotContains(t, opamp.description.String(), "s3cret")
			var config struct {
				Service struct {
					Extensions []string
					Pipelines  map[string]any
				}
			}
			require.NoError(t, yaml.Unmarshal([]byte(opamp.config), &config))
			assert.Contains(t, config.Service.Extensions, "opamp")
			assert.Contains(t, config.Service.Pipelines, "traces")
			opamp.mu.Unlock()

			if profile == "gateway" { // the fragment with credentials still counts
				assert.Equal(t, http.StatusUnauthorized, collectortest.SendSpan(t, c, "a", 1))
			}
			assert.Equal(t, 0, c.Stop(t).Code)
			opamp.mu.Lock()
			assert.False(t, opamp.health.GetHealthy(), "the last report")
			opamp.mu.Unlock()
		})
	}
}

// The data flows while the server is away.
func TestOpAMPServerAway(t *testing.T) {
	t.Parallel()
	gateway, files := collectortest.FileGateway(t, map[string]string{"OTELCOL_TC_OPAMP_ENDPOINT": "ws://127.0.0.1:1/v1/opamp"},
		"builtin:fragments/gateway-opamp")
	collectortest.RequireSpanPasses(t, &collectortest.Collector{HTTP: gateway.HTTP, DataDir: files.DataDir})
	assert.Equal(t, 0, gateway.Stop(t).Code)
}
